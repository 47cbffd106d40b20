"""`python -m exercises practice deck.html`: write a deck of gym questions as a page that needs no kernel."""

import argparse
from pathlib import Path

from exercises.practice.gym import deck, page


def main(arguments=None):
    """Read the command line and write the page; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m exercises practice", description=__doc__)
    parser.add_argument("file", metavar="FILE", type=Path, help="the page to write, such as deck.html")
    file = parser.parse_args(arguments).file
    file.write_text(page(deck()), encoding="utf-8")
    print(f"Written: {file.resolve()}")
    return 0
