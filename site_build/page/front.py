"""The frame around JupyterLab on the page: title, icon, the line above it, and the worker that keeps files."""

import hashlib
import html
import json
import re
import shutil
from pathlib import Path

from site_build import TITLE
from site_build.page import contents, distribution, doctor, look

BROWSER = Path(__file__).with_name("browser")
WORKER = "service-worker.js"
DESCRIPTION = "An interactive course on how backpropagation works. Python runs in your browser; nothing to install."
PATIENCE = 60  # seconds that Python may take to start once its files are there, before the page says that it cannot
UNASKED = (".LICENSE.txt", ".map", ".md5", "third-party-licenses.json", WORKER)  # no page asks for these
MATHS = "MathJax"  # what a chunk of JupyterLab's script has in it if a lesson's formulae need it


def add(made, pyodide, boot, lock):
    """Finish a page. made: its folder. pyodide: Pyodide's folder in it. boot: names of what the kernel starts with."""
    for name in ("bar.js", "bar.css", "start.js", "icon.svg"):
        shutil.copy(BROWSER / name, made / "lab" / f"backprop-{name}")
    contents.share(made / "lab")
    look.write(made / "lab")
    manifest(made / "manifest.webmanifest")
    doctor.add(made, pyodide, lock)
    files = {
        place.relative_to(made).as_posix(): [digest(place.read_bytes()), place.stat().st_size]
        for place in sorted(made.rglob("*"))
        if place.is_file() and not place.name.endswith(UNASKED)
    }
    inside = pyodide.relative_to(made).as_posix()
    for entry in lock.values():
        if "://" in entry["file_name"] and entry["file_name"].rsplit("/", 1)[1] in distribution.SIZES:
            size = distribution.SIZES[entry["file_name"].rsplit("/", 1)[1]]
            files[entry["file_name"]] = [entry["sha256"][:16], size]
    begin = [f"{inside}/{name}" for name in (*distribution.CORE, distribution.LOCK)]
    for name in sorted(boot):
        file = lock[name]["file_name"]
        begin.append(file if "://" in file else f"{inside}/{file}")
    page(made / "lab" / "index.html", sum(files[name][1] for name in begin))
    files["lab/index.html"] = [digest((made / "lab" / "index.html").read_bytes()), 0]
    told = {"files": files, "boot": begin, "spare": [name for name in files if is_spare(made, name)]}
    worker = made / WORKER
    ours = (BROWSER / "worker.js").read_text(encoding="utf-8")
    theirs = worker.read_text(encoding="utf-8")
    worker.write_text(f"self.backprop = {json.dumps(told)};\n{ours}\n{theirs}", encoding="utf-8")


def digest(data):
    """Return a short hash of a file's content."""
    return hashlib.sha256(data).hexdigest()[:16]


def is_spare(made, name):
    """Return whether a file is fetched only if the page asks for it: parts of JupyterLab that lessons may not need.

    Themes are kept: the visitor's system may turn dark when there is no network.
    """
    if not name.startswith(("build/", "extensions/", "doc/")) or name.endswith(".woff") or "/themes/" in name:
        return False
    return not name.endswith(".js") or MATHS not in (made / name).read_text(encoding="utf-8")


def page(place, size):
    """Turn JupyterLite's page into the course's. size: the bytes that Python's start takes."""
    text = place.read_text(encoding="utf-8")
    data = {"lessons": contents.list_notebooks(), "title": TITLE, "bytes": size, "patience": PATIENCE}
    embedded = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    version = json.loads((place.parents[1] / "jupyter-lite.json").read_text(encoding="utf-8"))
    version = version["jupyter-config-data"]["appVersion"]
    head = (
        f'<meta name="description" content="{html.escape(DESCRIPTION)}" />\n'
        '<link rel="icon" type="image/svg+xml" href="backprop-icon.svg" />\n'
        f'<link rel="stylesheet" href="{look.SHEET}" />\n'
        '<link rel="stylesheet" href="backprop-bar.css" />\n<link rel="stylesheet" href="backprop-labs.css" />\n'
        f'<script src="backprop-start.js" data-version="{version}"></script>\n'
    )
    body = (
        f'<script id="backprop-page" type="application/json">{embedded}</script>\n'
        '<script type="module" src="backprop-bar.js"></script>\n'
    )
    for old, new in (
        (r"<title>JupyterLite</title>", f"<title>{TITLE}</title>"),
        (r'<meta name="Description"[^>]*>', head),
        (r"(?=await import\(\s*'\.\./config-utils)", "await window.backpropReady;\n        "),
        (r"Loading JupyterLite\.\.\.", "The lesson is on its way."),
        (r"JupyterLite requires JavaScript to be enabled in your browser\.", "This page needs JavaScript."),
        (r"</body>", f"{body}</body>"),
    ):
        text = changed(old, new, text, place)
    place.write_text(text, encoding="utf-8")


def changed(old, new, text, place):
    """Return a text of JupyterLite with one change. Raise RuntimeError if the old text is not in it exactly once."""
    text, count = re.subn(old, lambda _: new, text)
    if count != 1:
        raise RuntimeError(f"{place.name} of JupyterLite is not as it was: {old!r} is in it {count} times, not once.")
    return text


def manifest(place):
    """Write the manifest with which a browser can install the page."""
    icon = {"src": "./lab/backprop-icon.svg", "type": "image/svg+xml", "sizes": "any"}
    told = {"short_name": "Backpropagation", "name": TITLE, "description": DESCRIPTION, "icons": [icon]}
    told |= {"start_url": "./", "scope": "./", "display": "standalone", "background_color": "#fff"}
    place.write_text(json.dumps(told, indent=1), encoding="utf-8")
