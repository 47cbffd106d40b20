"""The command `backprop`: it installs the lessons in your own folder, and opens JupyterLab there.

`backprop doctor engine.py` judges the engine in a file instead.

In a clone that the course is installed from, the lessons are there already, and are opened in place. Elsewhere, your
changes stay: a list in the folder keeps the hash of each file at installation, and only a file that still has that hash
is renewed. If you have changed or run a lesson, its new edition is put next to it.
"""

import argparse
import hashlib
import json
import os
import sys
import webbrowser
from importlib.metadata import requires
from pathlib import Path

from exercises.content import lessons
from exercises.content.lessons import LESSONS
from exercises.storage import files

WHAT = "Install the lessons in a folder of your own, and open JupyterLab there."
HERE = Path(__file__).with_name("notebooks")  # in a wheel
HUNT = Path(__file__).with_name("bughunt.html")  # a game; python -m site_build bughunt makes it
LIST, WORD = ".backprop.json", "new"  # the list of hashes; the part of a new edition's name before its suffix
HELPERS = "AGENTS.md"  # an assistant reads it without being asked: how to help a learner
README = "# Backpropagation from scratch\n\n## The lessons\n\n{}\n\n## Start\n\n{}\n"
AGAIN = (
    "`backprop` opens this folder. Run a lesson cell by cell, with Shift+Enter; what you write stays here. After an "
    "update of the course the same command updates the lessons that you have not changed."
)


def cloned():
    """Return the repository that the course is installed from, which has the lessons; None if it is a wheel."""
    return None if HERE.exists() else Path(__file__).parents[2]


def contents():
    """Return the files to install, {path in the folder: bytes}, from the wheel or from the repository."""
    clone = cloned()
    notebooks, texts = (clone / "notebooks", clone / "site_build" / "book" / "texts") if clone else (HERE, HERE)
    listed = (texts / "lessons.md").read_text(encoding="utf-8").strip().replace("](../../../", "](")
    found = {"README.md": README.format(listed, AGAIN).encode(), HELPERS: ((clone or HERE) / HELPERS).read_bytes()}
    for name in lessons.notebooks(notebooks):
        found[f"notebooks/{name}"] = (notebooks / name).read_bytes()
    return found


def install_lessons(folder, edition=None):
    """Install the lessons in a folder, which is made if need be; return a sentence for each thing done.

    edition: {path: bytes}, the installed one if None. Raise OSError if the folder cannot be written.
    """
    folder, edition = Path(folder), contents() if edition is None else edition
    laid, said, counts = hashes(folder / LIST), [], {"new": 0, "renewed": 0}
    for name, data in edition.items():
        place = folder / name
        if not os.path.lexists(place):
            counts["new"] += 1
        elif has_content(place, data):
            laid[name] = digest(data)
            continue
        elif has_content(place, laid.get(name)):
            counts["renewed"] += 1
        else:
            if laid.get(name) != digest(data) and place.suffix == ".ipynb" and (beside := put_beside(place, data)):
                said.append(f"{name} has your changes, and stays. The new edition is next to it: {beside.name}.")
            continue
        write(place, data)
        laid[name] = digest(data)
    write(folder / LIST, json.dumps(laid, indent=1).encode())
    if counts["new"]:
        said.insert(0, f"{counts['new']} files were written to {folder.resolve()}.")
    if counts["renewed"]:
        said.insert(0, f"{counts['renewed']} files that you had not changed were updated in {folder.resolve()}.")
    return said or [f"The lessons are in {folder.resolve()}, and there is nothing new."]


def installed_before():
    """Return the current folder, or the nearest one above it, that lessons were installed in; else None."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / LIST).exists()), None)


def hashes(place):
    """Return the recorded hashes, {path: hash}; {} if the list is missing or damaged: then every file is yours."""
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: text for name, text in found.items() if isinstance(text, str)} if isinstance(found, dict) else {}


def digest(data):
    return hashlib.sha256(data).hexdigest()


def has_content(place, data):
    """Return whether a file holds these bytes, or bytes of this hash; False for links, folders, unreadable files."""
    try:
        found = b"" if place.is_symlink() else place.read_bytes()
    except OSError:
        return False
    return bool(found) and digest(found) == (digest(data) if isinstance(data, bytes) else data)


def put_beside(place, data):
    """Write a new edition next to a learner's file and return its path; None if it was there already."""
    if any(has_content(each, data) for each in place.parent.glob(f"{place.stem}.{WORD}*{place.suffix}")):
        return None
    beside = files.sibling(place, WORD)
    write(beside, data)
    return beside


def write(place, data):
    """Write a file completely or not at all, with the permissions of a new file."""
    place.parent.mkdir(parents=True, exist_ok=True)
    begun = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        begun.write_bytes(data)
        files.replace(begun, place)
    finally:
        begun.unlink(missing_ok=True)


def missing():
    """Return what to run if JupyterLab is not installed, as a sentence."""
    every = [each.partition(";") for each in requires("backprop-from-scratch") or ()]
    names = " ".join(f'"{name.strip()}"' for name, _, when in every if 'extra == "lab"' in when.replace("'", '"'))
    said = "JupyterLab is not installed here. This installs the course's extra [lab]:"
    return f'{said}\n"{sys.executable}" -m pip install {names}'


def parser():
    """Return the parser of the command's arguments."""
    made = argparse.ArgumentParser(prog="backprop", description=WHAT)
    made.add_argument("folder", nargs="?", help="your own; else the one you are in, the clone's, or ./backprop")
    made.add_argument("--hunt", action="store_true", help="open the bug hunt, a game in one file, and nothing else")
    made.add_argument("--no-lab", action="store_true", help="install the lessons, and open nothing")
    made.add_argument("--no-browser", action="store_true", help="start JupyterLab, and open no browser")
    made.add_argument("--allow-root", action="store_true", help="let JupyterLab run as root, as in a container")
    return made


def main(arguments=None):
    """Install the lessons and open them, or judge a file; return the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["doctor"]:
        from exercises.doctor import command

        return command.main(arguments[1:], "backprop doctor")
    asked = parser().parse_args(arguments)
    if asked.hunt:
        print(f"The bug hunt is one file, which a browser opens: {HUNT}", flush=True)
        webbrowser.open(HUNT.as_uri())
        return 0
    folder = Path(asked.folder or installed_before() or cloned() or "backprop")
    try:
        said = [f"The lessons are in {folder}."] if folder == cloned() else install_lessons(folder)
        print("\n".join(said), flush=True)
    except OSError as fault:
        print(f"The lessons cannot be installed in {folder}: {fault}. Name another folder.", file=sys.stderr)
        return 1
    if asked.no_lab:
        return 0
    try:
        from jupyterlab.labapp import LabApp
    except ImportError:
        print(missing(), file=sys.stderr)
        return 1
    if hasattr(os, "geteuid") and not os.geteuid() and not asked.allow_root:
        print("You are root, and JupyterLab runs as root only with: backprop --allow-root", file=sys.stderr)
        return 1
    options = [
        f"--ServerApp.root_dir={folder.resolve()}",
        f"--LabApp.default_url=/lab/tree/notebooks/{LESSONS[0].file}",
    ]
    options += [f"--{name}" for name in ("no-browser", "allow-root") if getattr(asked, name.replace("-", "_"))]
    return LabApp.launch_instance(options)
