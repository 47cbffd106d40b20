"""`python -m exercises doctor engine.py`: whether the scalar engine in any file is right, and what is wrong with it."""

import argparse
import json
import sys
from pathlib import Path

from exercises.doctor.examination import NOT_RUN, RIGHT, WRONG, examine
from exercises.doctor.report import as_dict, badge, to_text

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
        if asked.badge:
            asked.badge.write_text(badge(verdict), encoding="utf-8")
    except (OSError, ValueError) as fault:
        print(f"{fault}", file=sys.stderr)
        return EXIT_CODES[NOT_RUN]
    print(json.dumps(as_dict(verdict), ensure_ascii=False) if asked.json else to_text(verdict))
    return EXIT_CODES[verdict.verdict]
