"""Put scripts and style sheets that many outputs have in common into files that all pages share."""

import base64
import hashlib
import html
import re

from docutils.nodes import make_id

from figures.page.style import blocks

LEAST = 400  # characters: shorter texts stay in the page
STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
SCRIPT = re.compile(r'<script(?: type="module")?>(.*?)</script>', re.DOTALL)
MODEL = re.compile(r' data-model="\w+"')
STILL = re.compile(r'<img alt="([^"]*)" src="data:image/svg\+xml;base64,([^"]+)">')


class Shared:
    """The content that pages share: all style rules, each once, and the scripts, in the order of their first use."""

    def __init__(self):
        self.rules, self.scripts = {}, {}

    @property
    def files(self):
        """The files: {name: text}, one style sheet and the scripts."""
        texts = [("".join(self.rules), "css"), *((script, "js") for script in self.scripts)]
        return {f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.{kind}": text for text, kind in texts if text}

    def names(self, kind):
        """Return the names of the files of a kind, "css" or "js"."""
        return [name for name in self.files if name.endswith(f".{kind}")]

    def slim(self, page):
        """Return an output's HTML without what the shared files hold or only a kernel could send; drawings as SVG."""
        page = STYLE.sub(self.ruled, page)
        page = SCRIPT.sub(self.scripted, MODEL.sub("", page))
        return STILL.sub(lambda found: drawing(found[1], found[2]), page)

    def ruled(self, found):
        """Return what replaces a style sheet in an output: nothing, if its rules are shared now."""
        if len(found[1]) < LEAST:
            return found[0]
        self.rules |= {f"{selector}{{{body}}}": None for selector, body in blocks(found[1])}
        return ""

    def scripted(self, found):
        """Return what replaces a script in an output: nothing, if it is shared now."""
        if len(found[1]) < LEAST:
            return found[0]
        self.scripts[f"(() => {{\n{found[1]}\n}})();\n"] = None
        return ""

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")


def drawing(alt, data):
    """Return a still picture as the SVG itself, in the page's colours and with the page's style sheet."""
    opening, rest = base64.b64decode(data).decode().split(">", 1)
    opening = opening.replace(' class="bp bp-still"', ' class="bp"', 1)
    if " role=" not in opening:
        opening = opening.replace("<svg", f'<svg role="img" aria-label="{alt}"', 1)
    return f"{opening}>{re.sub(r'^<style>.*?</style>', '', rest, flags=re.DOTALL)}"


def outputs(notebook, shared):
    """Reduce each output of a notebook's cells to one kind of content, without what a shared file holds."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data")
            if data and "text/html" in data:
                output["data"] = {"text/html": linked(shared.slim(data["text/html"]))}


def linked(page):
    """Return the HTML of an output with its links to other notebooks as links to their pages."""
    return re.sub(r'href="([\w/.]+)\.ipynb(?:#([^"]*))?"', lambda found: f'href="{target(*found.groups())}"', page)


def target(page, heading):
    """Return the address of a page, or of a heading in it as a notebook's links name it."""
    return f"{page}.html#{make_id(html.unescape(heading).replace('-', ' '))}" if heading else f"{page}.html"
