"""A deck of gym questions as a page of its own, which needs no kernel: `python -m exercises.practice deck.html`."""

import sys
from pathlib import Path

from exercises.practice.gym import deck, page

if len(sys.argv) != 2:
    sys.exit("One argument: the file to write, such as deck.html.")
Path(sys.argv[1]).write_text(page(deck()), encoding="utf-8")
