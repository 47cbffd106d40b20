"""The commands of the figures: `python -m figures COMMAND …`; --help after one shows its arguments."""

import sys

from figures import gallery
from figures.authors import commands, new

if __name__ == "__main__":
    sys.exit(commands.run("figures", {"new": new, "gallery": gallery}, sys.argv[1:]))
