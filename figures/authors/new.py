"""A new lab: `python -m figures new saddle` writes its files; again, it says what is missing."""

import argparse
import inspect
import json
import re
from pathlib import Path

import figures
from figures import gallery
from figures.authors import templates
from figures.authors.templates import ROOT, from_root, report_missing, unfilled, write

HERE = Path(__file__).parent
INIT = Path(figures.__file__)
LABS, TESTS = INIT.with_name("labs"), ROOT / "tests" / "figures" / "labs"
REFUSED, NET, APPROVED = "tests/approved/labs_refused.txt", "tests/snapshots.py", "tests/approved/snapshots.txt"
TABLE = "site_build/book/texts/labs.md"
NEXT = (
    "Listed in figures/__init__.py. Fill in what stands there after “Fill in”. The same command again says which line "
    f"{TABLE}, figures/gallery/__init__.py, a lesson, {REFUSED} and tests/snapshots.py still want."
)


def module_of(name):
    return Path(inspect.getsourcefile(getattr(figures, name)))


def missing(name):
    """Return what a lab still lacks, one sentence each; [] if nothing."""
    function, path = getattr(figures, name), module_of(name)
    together = [each for each in figures.__all__ if module_of(each) == path]  # labs of one file share a picture
    tests = [TESTS / f"test_{each}_lab.py" for each in (path.stem, *together)]
    found = [*unfilled([path, next((test for test in tests if test.exists()), tests[0])])]
    if not (function.__doc__ and inspect.getmodule(function).__doc__):
        found.append(f"{name} or its file has no docstring: what it shows, and what each input is for.")
    if not re.search(rf"^\| .*`{name}\(", text_of(TABLE), re.MULTILINE):
        found.append(f"{TABLE} has no row such as: | `{name}()` | 07 | what it shows |")
    pictures = [each for each in together if f"{each}.svg" in gallery.PICTURES]
    if not pictures:
        found.append(f'figures/gallery/__init__.py has no row: "{name}.svg": lambda: of(figures.{name}()),')
    elif not (gallery.HERE / f"{pictures[0]}.svg").exists():
        found.append(f"The picture is not made: python -m figures gallery {pictures[0]}.")
    if not any(f"figures.{name}(" in text for text in cells()):
        found.append(
            f"No lesson shows it: no cell of a notebook has figures.{name}(…). "
            "`python -m tests.caps notebooks/*.ipynb` says which has room."
        )
    if not re.search(rf"^(.* \| )?(ask\()?{name}\b.* → ", text_of(REFUSED), re.MULTILINE):
        found.append(
            f"{REFUSED} has no bad input of {name}, a call in a line, with what is said to it, which "
            "`pytest --approve tests/figures/labs/test_labs.py -k refused_input` writes there."
        )
    if f" lab figures.{name}(" not in text_of(APPROVED):
        line = f'"figures.{name}()"'
        approve = f"`python -m tests.snapshots --approve {name}`"
        found.append(f"LABS in {NET} has no {line}, or it is not approved: {approve}.")
    return found


def text_of(file):
    return (ROOT / file).read_text(encoding="utf-8")


def cells():
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        yield from ("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")


def refused(name):
    """Return why no lab can have this name, as a sentence; "" if one can."""
    if fault := templates.refused(name):
        return fault
    places = INIT.parent / name, LABS / f"{name}.py", TESTS / f"test_{name}_lab.py"
    if taken := next((path for path in places if path.exists()), None):
        return f"There is {from_root(taken)} already: another name is needed."
    return f"figures.{name} is something else already." if hasattr(figures, name) else ""


def add_to_package(text, name):
    """Return the text of figures/__init__.py with a lab's import, and its name in `__all__`, each in its place."""
    lines = text.splitlines(keepends=True)
    imported, exported = f"from figures.labs.{name} import {name}\n", f'    "{name}",\n'
    for line, kin in ((imported, r"from figures\.labs\."), (exported, r'    "')):
        places = [i for i, each in enumerate(lines) if re.match(kin, each)]
        lines.insert(next((i for i in places if lines[i] > line), places[-1] + 1), line)
    return "".join(lines)


def main(arguments=None):
    """Write a new lab's files, or report what one lacks; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m figures new", description=__doc__)
    parser.add_argument("name", metavar="NAME", help="the lab's function, such as saddle")
    name = parser.parse_args(arguments).name
    if name in figures.__all__ and module_of(name).parent == LABS:
        return report_missing(missing(name))
    if fault := refused(name):
        print(fault)
        return 1
    for template, path in (("lab", LABS / f"{name}.py"), ("test_lab", TESTS / f"test_{name}_lab.py")):
        write(HERE / "template" / f"{template}.py.txt", path, name=name)
        print(f"Written: {from_root(path)}")
    INIT.write_text(add_to_package(INIT.read_text(encoding="utf-8"), name), encoding="utf-8", newline="\n")
    print(NEXT)
    return 0
