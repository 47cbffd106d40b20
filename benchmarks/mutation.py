"""Measure how many slips in the course's own code its tests see: `python -m benchmarks.mutation`; `--draw` draws new
slips.

mutation.toml holds 200 slips, as `old` -> `new` in a file of `autograd`, of what judges and explains, or of what plays.
Each runs alone, in a copy of the course, on the test files that should see it: those named after its module, then
those that import it, then those of the modules that import it; for SECONDS of their time, which one plain run of
all tests measures. The command prints a slip that no test sees; `--draw` replaces one whose `old` is gone.
"""

import argparse
import ast
import collections
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from exercises.explaining.mutations import changed_for_now, changes

ROOT = Path(__file__).parent.parent
DRAWN = Path(__file__).with_name("mutation.toml")
SECONDS = 25.0  # of tests, as they take without a slip
LIMIT = 120  # seconds for one test with a slip, which may never end
PACKAGES = {  # how many slips, and of which files
    "autograd": (80, ("autograd/*.py", "autograd/[!l]*/*.py")),
    "exercises": (
        80,
        tuple(f"exercises/{room}/*.py" for room in ("verdicts", "sandbox", "explaining", "judging")),
    ),
    "figures": (40, ("figures/page/p*.py", "figures/page/inputs.py", "figures/training/session.py")),
}


def each_slip(path):
    """Yield (old, new) for each slip in a file: whole lines, of which `old` occurs there once."""
    text = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.splitlines(keepends=True)
    skipped = set(nodes_not_tried(tree))
    for node in ast.walk(tree):
        if node in skipped:
            continue
        for words, change in list(changes(node, tree)):
            if (place := place_of(node, words, change)) is None:
                continue
            at, copy = place
            with changed_for_now(node, change):
                new = ast.unparse(copy())
            start, end = at.lineno - 1, at.end_lineno
            before = lines[start].encode()[: at.col_offset].decode()
            after = lines[end - 1].encode()[at.end_col_offset :].decode()
            if isinstance(at, ast.expr) and "\n" not in new:
                new = f"({new})"
            while text.count("".join(lines[start:end])) > 1 and start:
                start -= 1
            changed = "".join(lines[start : at.lineno - 1]) + before + new.replace("\n", "\n" + before) + after
            try:
                compile(text.replace("".join(lines[start:end]), changed), "slip", "exec")
            except SyntaxError:
                continue
            yield "".join(lines[start:end]), changed


def nodes_not_tried(tree):
    """Yield docstrings and annotations, which do nothing, and what is inside an f-string, which has no place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        if isinstance(node, ast.JoinedStr):
            yield from ast.walk(node)
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                yield from ast.walk(getattr(node, field))


def place_of(node, words, change):
    """Return (the node whose text a slip changes, a function that returns it at that time); None for untried slips."""
    if isinstance(node, ast.expr | ast.AugAssign):
        return node, lambda: node
    if isinstance(node, ast.If | ast.While) and words.startswith("a condition"):
        return node.test, lambda: node.test
    for field in ("body", "orelse"):
        block = getattr(node, field, None)
        if isinstance(block, list) and words.endswith("left out"):
            before = block[:]
            with changed_for_now(node, change):
                now = getattr(node, field)
                taken = [old for old, new in zip(before, now) if old is not new]
            if taken:
                return taken[0], lambda: ast.Pass()
    return None


def draw(kept):
    """Yield the slips, as tables: those that still apply, and others by their hash to replace the rest."""
    for package, (count, patterns) in PACKAGES.items():
        yield from (here := [slip for slip in kept if package_of(slip) == package])
        found = [
            {"file": path.relative_to(ROOT).as_posix(), "old": old, "new": new}
            for pattern in patterns
            for path in sorted(ROOT.glob(pattern))
            for old, new in each_slip(path)
        ]
        found = [slip for slip in found if slip not in here]
        found.sort(key=lambda slip: hashlib.sha256(f"{slip['file']}{slip['old']}{slip['new']}".encode()).hexdigest())
        yield from found[: count - len(here)]


def package_of(slip):
    return slip["file"].partition("/")[0]


def stands(slip):
    """Return whether a slip's `old` occurs once in its file."""
    path = ROOT / slip["file"]
    return path.exists() and path.read_text(encoding="utf-8").count(slip["old"]) == 1


def toml(slips):
    """Return slips as a text."""
    return "".join(
        "[[slip]]\n" + "".join(f"{key} = {json.dumps(slip[key], ensure_ascii=False)}\n" for key in slip) + "\n"
        for slip in slips
    )


def read():
    """Return the slips."""
    with DRAWN.open("rb") as file:
        return tomllib.load(file).get("slip", [])


def timed(folder):
    """Return ({test file: seconds}, the tests that fail without a slip), from one plain run in a copy of the course."""
    report = pytest(["-q", "--no-header", "--durations=0", "--durations-min=0", "--seed", "power"], folder)
    seconds = collections.Counter()
    for line in report.stdout.splitlines():
        if (words := line.split(maxsplit=2))[1:2] and words[1] in ("call", "setup"):
            seconds[words[2].partition("::")[0]] += float(words[0].removesuffix("s"))
    if not seconds:
        raise SystemExit(f"The tests did not run: {report.stdout[-2000:]}")
    return dict(seconds), re.findall(r"^(?:FAILED|ERROR) (\S+::\S+)", report.stdout, re.MULTILINE)


def imports(path):
    """Return the files of the course whose modules a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
        found |= {name.replace(".", "/") + ".py" for name in names}
    return {name for name in found if (ROOT / name).exists()}


def tests_of(slip, seconds, importing):
    """Return the test files for a slip, those that should see it first: as many as take SECONDS, and one at least."""
    stem, users = Path(slip["file"]).stem, {slip["file"]}
    near = [[test for test in seconds if f"_{stem}" in test]]
    for _ in range(2):
        near.append([test for test in seconds if importing.get(test, set()) & users])
        users = {user for user, used in importing.items() if used & users and not user.startswith("tests/")}
    chosen, total = [], 0.0
    fastest_first = (sorted(tests, key=lambda test: (seconds[test], test)) for tests in near)
    for test in dict.fromkeys(itertools.chain(*fastest_first)):
        if not chosen or total + seconds[test] <= SECONDS:
            chosen.append(test)
            total += seconds[test]
    return chosen


def pytest(arguments, folder, **variables):
    """Run pytest on the course in a folder."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    environment = os.environ | {"PYTHONPATH": str(folder), "BACKPROP_NO_BROWSER": "1"} | variables
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8")


def is_seen(slip, tests, failing, folder):
    """Return whether a test that passes without a slip fails with it, in the copy of the course in a folder."""
    if not tests:  # pytest would run all
        return False
    path = folder / slip["file"]
    right = path.read_text(encoding="utf-8")
    path.write_text(right.replace(slip["old"], slip["new"]), encoding="utf-8")
    try:
        options = ["-x", "-q", "-n0", "--seed", "power", f"--timeout={LIMIT}"]
        options += [f"--deselect={test}" for test in failing]
        return pytest([*options, *tests], folder).returncode not in (0, 5)  # 5: no test was drawn
    finally:
        path.write_text(right, encoding="utf-8")


def main():
    """Draw, or try each slip and print those that no test sees, with each package's share of the others."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draw", action="store_true", help="draw slips, in place of those whose line is gone")
    if parser.parse_args().draw:
        kept = [slip for slip in read() if stands(slip)] if DRAWN.exists() else []
        DRAWN.write_text(toml(draw(kept)), encoding="utf-8")
        return
    slips = [slip for slip in read() if stands(slip)]
    for slip in read():
        if slip not in slips:
            print(f"gone: {slip['file']}: {slip['old'].strip()}")
    with tempfile.TemporaryDirectory() as folder:
        copies = [Path(folder) / f"copy{i}" for i in range(os.cpu_count() or 1)]
        for copy in copies:
            shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".venv", "node_modules", ".git", "__pycache__"))
        seconds, failing = timed(copies[0])
        files = [path for name in ("autograd", "exercises", "figures", "tests") for path in (ROOT / name).rglob("*.py")]
        importing = {path.relative_to(ROOT).as_posix(): imports(path) for path in files}
        print(f"{sum(seconds.values()):.0f} seconds of tests; failing without a slip: {failing or 'none'}", flush=True)

        def tried(slip):
            copy = copies.pop()
            try:
                return is_seen(slip, tests_of(slip, seconds, importing), failing, copy)
            finally:
                copies.append(copy)

        seen = collections.Counter()
        with ThreadPoolExecutor(len(copies)) as pool:
            for slip, found in zip(slips, pool.map(tried, slips)):
                seen[package_of(slip)] += found
                if not found:
                    print(f"not seen: {slip['file']}:\n    {slip['new'].strip()}", flush=True)
    for package, (count, _) in PACKAGES.items():
        print(f"{package:22}{seen[package]} of {count} slips are seen", flush=True)


if __name__ == "__main__":
    main()
