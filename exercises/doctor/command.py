"""`python -m exercises doctor engine.py`: whether the scalar engine in any file is right, and what is wrong with it."""

import argparse
import json
import sys
from pathlib import Path

from exercises.doctor.examination import examine
from exercises.doctor.report import NOT_RUN, RIGHT, WRONG, Verdict, as_dict, badge, to_text

EXIT_CODES = {RIGHT: 0, WRONG: 1, NOT_RUN: 2}


def main(arguments=None, program="python -m exercises doctor"):
    """Read the command line, print what the doctor says, and return the exit code: 0 right, 1 wrong, 2 not run."""
    parser = argparse.ArgumentParser(prog=program, description=__doc__)
    parser.add_argument("file", metavar="FILE", type=Path, help="a .py or .ipynb file with a scalar engine in it")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of sentences")
    parser.add_argument("--badge", metavar="FILE.svg", type=Path, help="write the verdict as a picture as well")
    asked = parser.parse_args(arguments)
    try:
        verdict = examine(asked.file)
    except OSError as fault:
        verdict = Verdict(NOT_RUN, f"{asked.file} could not be read: {fault.strerror}.")
    except ValueError as fault:  # neither .py nor .ipynb
        verdict = Verdict(NOT_RUN, str(fault))
    if asked.badge:
        try:
            asked.badge.write_text(badge(verdict), encoding="utf-8")
        except OSError as fault:
            print(f"{asked.badge} could not be written: {fault.strerror}.", file=sys.stderr)
    print(json.dumps(as_dict(verdict), ensure_ascii=False) if asked.json else to_text(verdict))
    return EXIT_CODES[verdict.verdict]
