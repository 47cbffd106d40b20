"""The commands of the figures: `python -m figures gallery` makes the pictures of README and the lessons anew."""

import sys

from figures import gallery


def main(arguments):
    """Run a command; what to return to the shell."""
    if arguments != ["gallery"]:
        print(__doc__, file=sys.stderr)
        return 2
    for name in gallery.make():
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
