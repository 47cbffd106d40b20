"""The commands of a package: `python -m PACKAGE COMMAND …`; --help after one shows its arguments."""

import sys


def run(package, commands, arguments):
    """Run a command of {name: module with a `main`}, or list the commands; return the exit status."""
    if arguments and arguments[0] in commands:
        return commands[arguments[0]].main(arguments[1:])
    print(f"python -m {package} COMMAND, where COMMAND is:", file=sys.stderr)
    for name, module in commands.items():
        print(f"    {name:12}{module.__doc__.splitlines()[0]}", file=sys.stderr)
    return 2
