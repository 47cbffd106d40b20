"""`python -m site_build book`, `page`, `bughunt` and `lecture` make sites of the course; `doors` leads to them."""

import argparse
import pkgutil
from pathlib import Path

SITES = {  # each site: its module's `build(out, **options)` makes it in a folder and returns what to open
    "book": "the lessons to read, with labs that step and quizzes that answer",
    "page": "the lessons to work through in a browser, with nothing to install",
    "bughunt": "a game in one file: one rule of a small engine may be wrong; find it",
    "lecture": "ninety minutes in a lecture hall: a deck in one file, and a handout",
}
RUNS = {
    "type": Path,
    "default": Path("build", "runs"),
    "metavar": "FOLDER",
    "help": "where the lessons, run once, are kept for both sites; default: build/runs",
}
OUT = {"bughunt": Path("exercises", "course")}  # where HUNT_FILE is
OPTIONS = {  # a site's options besides --out: the arguments of `add_argument`
    "book": {"--runs": RUNS},
    "page": {
        "--runs": RUNS,
        "--pyodide": {
            "default": "cdn",
            "metavar": "FOLDER",
            "help": "a distribution of Pyodide, unpacked, for a site that asks nothing of others; without it NumPy and "
            "its like come at run time from where Pyodide's makers publish them",
        },
    },
}


def main():
    """Build the site that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m site_build", description=__doc__)
    kinds = parser.add_subparsers(dest="site", required=True)
    for name, what in SITES.items():
        kind = kinds.add_parser(name, help=what, description=what)
        default = OUT.get(name, Path("build", name))
        kind.add_argument("--out", type=Path, default=default, metavar="FOLDER", help=f"default: {default}")
        for option, settings in OPTIONS.get(name, {}).items():
            kind.add_argument(option, **settings)
    doors = "write README's and the notebooks' links anew, to the address in pyproject.toml"
    kinds.add_parser("doors", help=doors, description=doors)
    asked = vars(parser.parse_args())
    site = asked.pop("site")
    try:
        made = pkgutil.resolve_name(f"site_build.{site}:build")(**asked)
    except ModuleNotFoundError as missing:
        parser.exit(1, f'{missing.name} is missing: pip install -e ".[{site}]"\n')
    except (ValueError, RuntimeError) as fault:
        parser.exit(1, f"{fault}\n")
    print(made if site == "doors" else f"Open {made}")


if __name__ == "__main__":
    main()
