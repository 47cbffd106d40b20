"""`python -m site_build book` makes a site of the course, and says where it is."""

import argparse
import importlib
from pathlib import Path

SITES = {  # each site: its module's `build(out)` makes it in a folder and returns the page to open
    "book": "the lessons to read, with labs that step and quizzes that answer",
}


def main():
    """Build the site that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m site_build", description=__doc__)
    kinds = parser.add_subparsers(dest="site", required=True)
    for name, what in SITES.items():
        kind = kinds.add_parser(name, help=what, description=what)
        kind.add_argument(
            "--out", type=Path, default=Path("build", name), metavar="FOLDER", help=f"default: build/{name}"
        )
    asked = parser.parse_args()
    try:
        page = importlib.import_module(f"site_build.{asked.site}").build(asked.out)
    except ModuleNotFoundError as missing:
        parser.exit(1, f'{missing.name} is missing: pip install -e ".[{asked.site}]"\n')
    except (ValueError, RuntimeError) as fault:
        parser.exit(1, f"{fault}\n")
    print(f"Open {page}")


if __name__ == "__main__":
    main()
