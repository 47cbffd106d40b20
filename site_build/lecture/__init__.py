"""Ninety minutes in a lecture hall: a deck as one file that needs no network and no Python, and its handout.

`lecture.ipynb` holds the slides and the speaker notes. JupyterLab opens it; `build(out)` exports it, and so does this
command here: `jupyter nbconvert --to slides lecture.ipynb --config nbconvert_config.py`.
"""

import html
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
DECK, HANDOUT = HERE / "lecture.ipynb", HERE / "handout.md"
SHEET = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>@page {{ size: A4; margin: 16mm '
    "}} body {{ font: 11pt/1.4 system-ui, sans-serif; max-width: 178mm; margin: auto }} h1 {{ font-size: 18pt }} "
    "h2 {{ font-size: 13pt; margin-bottom: 2pt }} p, ul, ol {{ margin: 4pt 0 }}</style><body>{body}</body></html>\n"
)


def build(out):
    """Write the deck and the handout into a folder; return the deck. Raise RuntimeError if a cell of the deck fails."""
    out = Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "nbconvert", "--to", "slides", DECK.name, f"--output-dir={out}"]
    command.append("--config=nbconvert_config.py")
    with tempfile.TemporaryDirectory() as own:  # so that nobody's progress and engine change
        world = os.environ | {"BACKPROP_DATA_DIR": own, "BACKPROP_ENGINE_DIR": own}
        ran = subprocess.run(command, cwd=HERE, env=world, capture_output=True, encoding="utf-8")
    if ran.returncode:
        raise RuntimeError(f"The deck could not be exported: {ran.stderr[-2000:]}")
    made = out / "lecture.slides.html"
    (out / "handout.html").write_text(sheet(HANDOUT.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    return made


def sheet(text):
    """Return the handout, which is Markdown, as a page to print."""
    from nbconvert.filters import markdown2html

    title = text.splitlines()[0].lstrip("# ")
    return SHEET.format(title=html.escape(title), body=markdown2html(text))
