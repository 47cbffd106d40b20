"""`python -m benchmarks`: the engine and its peers side by side, as a table of ratios."""

import argparse
import sys
from pathlib import Path

from benchmarks import plan
from benchmarks.environments import install_peers
from benchmarks.measure import FULL, QUICK
from benchmarks.report import report


def main():
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--markdown", metavar="FILE", type=Path, help="write the report to FILE, too")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, in a third of the time; rougher figures")
    parser.add_argument("--only", metavar="W2,W3", type=workloads, default=(), help="these workloads only")
    parser.add_argument("--install-peers", action="store_true", help="make HIPS autograd's environment, and stop")
    options = parser.parse_args()
    if options.install_peers:
        return install_peers()
    settings = QUICK if options.quick else FULL
    text = report(plan.run(options.only, settings, lambda cell: print(cell, file=sys.stderr)), settings)
    print(text, end="")
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")


def workloads(text):
    """Return the workloads named in a list that commas separate."""
    names = text.upper().split(",")
    for name in names:
        if name not in plan.WORKLOADS:
            raise argparse.ArgumentTypeError(f"{name}: one of {', '.join(plan.WORKLOADS)}")
    return names


if __name__ == "__main__":
    main()
