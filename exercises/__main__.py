"""The commands of the exercises: `python -m exercises COMMAND …`; each says with --help what it takes."""

import sys

from exercises.practice import command as practice
from exercises.teachers import nbgrader
from exercises.teachers.report import command as report

COMMANDS = {"report": report, "nbgrader": nbgrader, "practice": practice}


def main(arguments):
    """Run a command; what to return to the shell. Without one, or with another, say which there are."""
    if arguments and arguments[0] in COMMANDS:
        return COMMANDS[arguments[0]].main(arguments[1:])
    print("python -m exercises COMMAND, where COMMAND is:", file=sys.stderr)
    for name, module in COMMANDS.items():
        print(f"    {name:10}{module.__doc__.splitlines()[0]}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
