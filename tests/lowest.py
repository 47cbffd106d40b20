"""`python -m tests.lowest` prints the oldest versions that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
LOWEST = re.compile(r"([\w.-]+)>=([\w.]+)")


def constraints():
    """Yield "name==version" of each package that learners need: the dependencies, and the extra [lab]."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    for requirement in [*project["dependencies"], *project["optional-dependencies"]["lab"]]:
        if ";" not in requirement:
            yield "{}=={}".format(*LOWEST.match(requirement).groups())


if __name__ == "__main__":
    print("\n".join(constraints()))
