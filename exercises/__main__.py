"""The commands of the exercises: `python -m exercises COMMAND …`; each says with --help what it takes."""

import sys

from exercises.authors import new
from exercises.clinic import command as examine
from exercises.clinic import regrade as certificate
from exercises.doctor import command as doctor
from exercises.practice import command as practice
from exercises.teachers import nbgrader, tutor
from exercises.teachers.report import command as report
from figures.authors import commands

COMMANDS = {"new": new, "report": report, "nbgrader": nbgrader, "practice": practice}
COMMANDS |= {"examine": examine, "certificate": certificate, "tutor": tutor, "doctor": doctor}

if __name__ == "__main__":
    sys.exit(commands.run("exercises", COMMANDS, sys.argv[1:]))
