"""What many outputs of many pages hold alike, scripts and style sheets, as files that all pages share."""

import base64
import hashlib
import html
import re

from docutils.nodes import make_id

LEAST = 400  # characters: what is shorter stays where it is
STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
SCRIPT = re.compile(r'<script(?: type="module")?>(.*?)</script>', re.DOTALL)
STILL = re.compile(r'<img alt="([^"]*)" src="data:image/svg\+xml;base64,([^"]+)">')


class Shared:
    """The files that pages share: {name: text}, in the order in which they were first needed."""

    def __init__(self):
        self.files = {}

    def names(self, kind):
        """The names of the files of a kind, "css" or "js"."""
        return [name for name in self.files if name.endswith(f".{kind}")]

    def slim(self, page):
        """The HTML of an output without what a page gets from the shared files, its drawings as SVG."""
        page = STYLE.sub(lambda found: self.kept(found[0], found[1], "css"), page)
        page = SCRIPT.sub(lambda found: self.kept(found[0], f"(() => {{\n{found[1]}\n}})();\n", "js"), page)
        return STILL.sub(lambda found: drawing(found[1], found[2]), page)

    def kept(self, whole, text, kind):
        """What stands in an output in the place of an element: nothing, if its text is a shared file now."""
        if len(text) < LEAST:
            return whole
        self.files[f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.{kind}"] = text
        return ""

    def write(self, folder):
        """Write the files into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")


def drawing(alt, data):
    """A still picture as the SVG itself, in the colours of the page and with the style sheet of the page."""
    opening, rest = base64.b64decode(data).decode().split(">", 1)
    opening = opening.replace(' class="bp bp-still"', ' class="bp"', 1)
    if " role=" not in opening:
        opening = opening.replace("<svg", f'<svg role="img" aria-label="{alt}"', 1)
    return f"{opening}>{re.sub(r'^<style>.*?</style>', '', rest, flags=re.DOTALL)}"


def outputs(notebook, shared):
    """Let each output of a notebook's cells hold one kind of content, and none that a shared file holds."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data")
            if data and "text/html" in data:
                output["data"] = {"text/html": linked(shared.slim(data["text/html"]))}


def linked(page):
    """The HTML of an output with its links to other notebooks as links to their pages."""
    return re.sub(r'href="([\w/.]+)\.ipynb(?:#([^"]*))?"', lambda found: f'href="{target(*found.groups())}"', page)


def target(page, heading):
    """The address of a page, or of a heading in it as a notebook's links name it."""
    return f"{page}.html#{make_id(html.unescape(heading).replace('-', ' '))}" if heading else f"{page}.html"
