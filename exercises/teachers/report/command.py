"""`python -m exercises report FOLDER`: a table of learners × exercises from a class's submissions, and their mistakes.

FOLDER has a folder for each learner, or files named after them: progress.json, my_engine.py, lessons. Lessons and
engines are run again, each in its own process, and judged in another; the outputs stored in them, and what progress
files claim, are not trusted.
"""

import argparse
import os
import sys
from pathlib import Path

from exercises.teachers.report import rerun, tables
from exercises.teachers.report.names import printable
from exercises.teachers.report.results import NOT_THERE, gather

WARNING = (
    "This runs the submitted code on this machine with your rights: it can read and change your files. "
    "If you do not trust it, use a container or an account without rights, or --no-run, which reads only "
    "progress files, "
    "and these only say what learners claim."
)


def main(arguments=None):
    """Read the command line, gather, print; return the exit code."""
    options = parsed(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # for a console without a ✓
    if not options.no_run:
        print(WARNING, file=sys.stderr)
    report = gather(
        options.folder,
        lambda line: print(line, file=sys.stderr, flush=True),
        runs=not options.no_run,
        seconds=options.seconds,
        jobs=options.jobs,
    )
    if all(report.unused.get(learner) == NOT_THERE for learner in report.learners):
        print(
            f"{printable(str(options.folder))} has no lessons (.ipynb), no my_engine.py and no progress file (.json)."
        )
        return 1
    print(tables.render_text(report))
    for path, made in (
        (options.csv, lambda: "\ufeff" + tables.as_csv(report)),  # the mark tells spreadsheets that it is UTF-8
        (options.html, lambda: tables.page(report, f"Exercises of {options.folder.resolve().name}")),
    ):
        if path:
            path.write_text(made(), encoding="utf-8", newline="\n")
            print(f"Written: {printable(str(path.resolve()))}")
    return 0


def parsed(arguments):
    """Parse the options of the command line."""
    says, more = __doc__.split("\n\n")
    parser = argparse.ArgumentParser(prog="python -m exercises report", description=says, epilog=f"{more} {WARNING}")
    parser.add_argument("folder", metavar="FOLDER", type=folder)
    parser.add_argument("--csv", metavar="FILE", type=Path, help="also write one row for each learner and exercise")
    parser.add_argument("--html", metavar="FILE", type=Path, help="also write the table and the mistakes as a page")
    parser.add_argument("--no-run", action="store_true", help="read progress files only, and run nothing")
    parser.add_argument("--seconds", type=above_zero(float), default=rerun.SECONDS, help="the time limit for a file")
    parser.add_argument(
        "--jobs", type=above_zero(int), default=os.cpu_count() or 1, help="how many files to run at once"
    )
    return parser.parse_args(arguments)


def folder(text):
    """Return a folder as a Path; raise ArgumentTypeError if it does not exist."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return Path(text)


def above_zero(kind):
    """Return a function that reads a number above 0."""

    def number(text):
        if not (found := kind(text)) > 0:
            raise argparse.ArgumentTypeError(f"a number above 0, got {text}")
        return found

    return number
