"""Which cases of a long table a plain run tries: a sample that the commit fixes; `--all` takes every one.

A test with many cases says how many a plain run takes: `@pytest.mark.sampled(40)`. A test that goes through a table by
itself asks `sample(cases, 40)`. Both draw by a hash of the seed and of the case's name. So one commit tries the same
cases in every worker, in both halves of `.ci/run` and on every machine, and the next commit tries others.
"""

import hashlib
import importlib.metadata
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent


class Drawing:
    """The seed of a run, and whether it takes everything; set once, before tests are collected."""

    seed, everything = "", False

    @classmethod
    def begin(cls, seed, everything):
        """Begin a run with this seed, or that of the commit."""
        cls.seed, cls.everything = seed or of_the_commit(), everything

    @classmethod
    def line(cls):
        """What a run says at its end of what it tried."""
        if cls.everything:
            return "Every case of every table was tried (--all)."
        return f"Of each long table a sample was tried: --seed {cls.seed} tries the same again, --all every case."


def of_the_commit():
    """The first digits of the commit's hash; the course's version where there is no git."""
    if (ROOT / ".git").exists():
        try:
            asked = ["git", "-C", str(ROOT), "rev-parse", "--short=10", "HEAD"]
            return subprocess.run(asked, capture_output=True, encoding="utf-8", check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            pass  # no git on this machine, or no commit yet
    return importlib.metadata.version("backprop-from-scratch")


def place(name):
    """Where a case stands in the draw: the cases of a table with the smallest places are tried."""
    return hashlib.sha256(f"{Drawing.seed} {name}".encode("utf-8", "backslashreplace")).hexdigest()


def sample(cases, count, name=str):
    """`count` of these cases, in their order; all with `--all`. name(case): a text that tells a case from others."""
    cases = list(cases)
    if Drawing.everything or len(cases) <= count:
        return cases
    drawn = {id(case) for case in sorted(cases, key=lambda case: place(name(case)))[:count]}
    return [case for case in cases if id(case) in drawn]


def sampled(items):
    """The items of a collection without those that a plain run leaves out; and these."""
    tables = {}
    for item in items:
        if mark := item.get_closest_marker("sampled"):
            tables.setdefault((item.nodeid.partition("[")[0], mark.args[0]), []).append(item)
    kept = {id(item) for (_, count), table in tables.items() for item in sample(table, count, lambda item: item.nodeid)}
    left_out = [item for item in items if item.get_closest_marker("sampled") and id(item) not in kept]
    alone = {id(item) for item in left_out}
    return [item for item in items if id(item) not in alone], left_out
