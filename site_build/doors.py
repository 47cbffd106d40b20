"""The doors of README and of each notebook: links to the published course, or else to files of the repository.

`site` in pyproject.toml's [tool.backprop] is the address of the folder that holds `book` and `page`; "" if there is
none. The environment variable SITE_ADDRESS, which the publishing workflow sets, comes first. After a change run `python
-m site_build doors` to write the links again.
"""

import json
import os
import re
import tomllib
import urllib.parse

from exercises.content import lessons as first
from site_build import HUNT_FILE, ROOT

BEGIN, END = "<!-- doors -->\n", "<!-- end of doors -->"
RUNS = re.compile(r" · \[Run it\]\([^)]*\)")  # in a notebook's first cell, with the dot before it
PAGE = "page/lab/index.html?path=notebooks/{}"
FIRST = "- **[One sitting]({})**, 40 minutes: you write seven lines, and a small network learns with them."
LESSONS = "- **[Five evenings]({})**: your own engine reads handwriting and paints; then workshops."
HUNT = "- **[Bug hunt]({})**: a game in one file. Is this engine wrong, and where?"
PLAY = "- **[Play, with nothing to install]({})**: "
PLAYED = "JupyterLab and Python run in your browser, and what you write is kept there."
DOCTOR = "- **[Is your engine right?]({})** {} names its mistakes."
NOT_YET = "once the sites are published. Until then, [start them](#start) on your machine."


def address():
    """Return the address of the sites, with a slash at its end; "" if none is set. Raise ValueError for other texts."""
    setting = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["backprop"]["site"]
    return checked(os.environ.get("SITE_ADDRESS") or setting)


def checked(text):
    """Return an address with a slash at its end, or "" for "". Raise ValueError for any other text."""
    parts = urllib.parse.urlsplit(text)
    if text and (parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment):
        raise ValueError(f"an address begins with https:// and names a host, such as https://example.org; got {text}.")
    return f"{text.rstrip('/')}/" if text else ""


def of_readme(site):
    """Return the lines between README's marks."""
    sitting, lessons, play, how = f"notebooks/{first.LESSONS[0].file}", "#the-lessons", "#publish-it", NOT_YET
    hunt = HUNT_FILE.relative_to(ROOT).as_posix()
    doctor = "#the-engine", "`.venv/bin/python -m exercises doctor engine.py`"
    if site:
        doctor = f"{site}page/doctor/", "Drop the file, and nothing is uploaded; the page"
        sitting, lessons = f"{site}book/lessons/{first.LESSONS[0].file.replace('.ipynb', '.html')}", f"{site}book/"
        play, how, hunt = site + PAGE.format(first.LESSONS[0].file), PLAYED, f"{site}book/{HUNT_FILE.name}"
    lines = HUNT.format(hunt), FIRST.format(sitting), LESSONS.format(lessons), PLAY.format(play) + how
    return "".join(f"{line}\n" for line in (*lines, DOCTOR.format(*doctor)))


def of_notebook(site, name):
    """Return the link of a notebook's first cell. name: its path in the folder of notebooks."""
    return f" · [Run it]({site + PAGE.format(name) if site else '../' * (1 + name.count('/')) + 'README.md#start'})"


def insert_doors(site):
    """Yield (path, text) of README and of each notebook, with its doors. Raise ValueError if one lacks their place."""
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    yield readme, re.sub(f"(?s){BEGIN}.*?{END}", lambda _: BEGIN + of_readme(site) + END, text)
    for place in sorted((ROOT / "notebooks").rglob("[!.]*.ipynb")):
        if ".ipynb_checkpoints" in place.parts:
            continue
        text = place.read_text(encoding="utf-8")
        link = json.dumps(of_notebook(site, place.relative_to(ROOT / "notebooks").as_posix()), ensure_ascii=False)[1:-1]
        if not RUNS.search(text):
            raise ValueError(f"{place.name}'s first cell has no “· [Run it](…)” to write its door into.")
        yield place, RUNS.sub(lambda _, link=link: link, text, count=1)


def build():
    """Write the doors; return a sentence that says what was written."""
    site = address()
    changed = [(place, text) for place, text in insert_doors(site) if place.read_text(encoding="utf-8") != text]
    for place, text in changed:
        place.write_text(text, encoding="utf-8", newline="\n")
    return f"{len(changed)} files were changed; all lead to {site or 'files of this repository'}."
