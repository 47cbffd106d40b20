"""Which cases of a long table a plain run tries: a sample that the commit fixes; `--all` takes every one.

`SHARES` and `WHOLE` say which files, and how much; the tests marked `long` are a separate table. A test that goes
through a table itself calls `sample(cases, 40)`. All draw by a hash of the seed and of the case's name. So one commit
tries the same cases in every worker, in both halves of `.ci/run` and on every machine, and the next commit tries
others.
"""

import functools
import hashlib
import importlib.metadata
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
SHARES = {  # of files whose names begin so: the share of a test's cases that is tried, and how many at least
    "test_attempts": (0.012, 12),
    "test_browser_bughunt": (0.25, 1),
    "test_browser_gym": (0.25, 1),
    "test_browser_lessons": (0.1, 1),
    "test_browser_narrow": (0.2, 5),
    "test_browser_plain": (0.2, 5),
    "test_browser_style": (0.25, 6),
    "test_charts": (0.25, 5),
    "test_checks_repairs": (0.15, 2),  # which trains
    "test_checks": (0.05, 2),
    "test_clinic": (0.15, 3),
    "test_contract": (0.008, 3),
    "test_serialization": (0.1, 6),
    "test_deep_nets": (0.1, 1),
    "test_examine_torch": (0.05, 2),  # models that are trained
    "test_files": (0.3, 1),
    "test_guard": (0.2, 3),
    "test_gym": (0.4, 1),
    "test_identify": (0.2, 4),
    "test_migration": (0.2, 4),
    "test_mutants": (0.06, 3),
    "test_notebooks": (0.04, 2),
    "test_observation": (0.25, 6),
    "test_order_lab": (0.15, 3),
    "test_own_network": (0.3, 4),
    "test_store": (0.1, 2),
    "test_tutor": (0.004, 8),
    "test_ward_lab": (0.1, 2),
}
WHOLE = {  # of these a case is a file with all of its tests, or a class in one: a lesson, or a site in a browser
    ("test_any_order",): (0.06, 1),
    ("test_core_",): (0.3, 4),
    ("test_workshop_",): (0.2, 4),
    ("test_browser_book", "test_site_page"): (0.5, 1),
}
LONG = (0.06, 5)  # of the tests that are marked `long`, each of which takes as much time as a hundred others


class Drawing:
    """The seed of a run, and whether it takes everything; set once, before tests are collected."""

    seed, everything = "", False

    @classmethod
    def begin(cls, seed, everything):
        """Begin a run with this seed, or that of the commit."""
        cls.seed, cls.everything = seed or of_the_commit(), everything

    @classmethod
    def line(cls):
        """Return the line at the end of a run about what it tried."""
        if cls.everything:
            return "Every case of every table was tried (--all)."
        return f"Of each long table a sample was tried: --seed {cls.seed} tries the same again, --all every case."


def of_the_commit():
    """Return the first digits of the commit's hash, or the course's version if there is no git."""
    if (ROOT / ".git").exists():
        try:
            asked = ["git", "-C", str(ROOT), "rev-parse", "--short=10", "HEAD"]
            return subprocess.run(asked, capture_output=True, encoding="utf-8", check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            pass  # no git on this machine, or no commit yet
    return importlib.metadata.version("backprop-from-scratch")


def place(name):
    """Return a case's place in the draw: the cases of a table with the smallest places are tried."""
    return hashlib.sha256(f"{Drawing.seed} {name}".encode("utf-8", "backslashreplace")).hexdigest()


def sample(cases, count, name=str):
    """Return `count` of these cases, in their order; all with `--all`. name(case): a text that tells cases apart."""
    cases = list(cases)
    if Drawing.everything or len(cases) <= count:
        return cases
    drawn = {id(case) for case in sorted(cases, key=lambda case: place(name(case)))[:count]}
    return [case for case in cases if id(case) in drawn]


def sampled(items):
    """Return (the items of a collection that a run tries, those that it leaves out)."""
    places = [(item, table_of(item)) for item in items]
    tables = {}  # {(table, its share, its least): {case: None}}
    for item, found in places:
        if found is not None:
            tables.setdefault(found, {})[case_of(item)] = None
    kept = {
        case
        for (_, (share, least)), cases in tables.items()
        for case in sample(cases, max(least, round(share * len(cases))))
    }
    is_tried = [found is None or case_of(item) in kept for item, found in places]
    return [item for item, tried in zip(items, is_tried) if tried], [
        item for item, tried in zip(items, is_tried) if not tried
    ]


def table_of(item):
    """Return (the name of the table that an item is a case of, the share, the least); None if there is none."""
    if item.get_closest_marker("long"):
        return "long", LONG
    whole, share = shares_of(item.path.stem)
    if whole:
        return whole, WHOLE[whole]
    return (item.nodeid.partition("[")[0], share) if share and "[" in item.nodeid else None


@functools.cache
def shares_of(stem):
    """Return a file's key in WHOLE, beginnings of names, and its entry in SHARES; None for each that it lacks."""
    whole = next((names for names in WHOLE if stem.startswith(names)), None)
    return whole, next((share for name, share in SHARES.items() if stem.startswith(name)), None)


def case_of(item):
    if item.get_closest_marker("long") or not shares_of(item.path.stem)[0]:
        return item.nodeid
    return item.cls.__name__ if item.cls else item.path.stem
