"""`Picture`: an SVG with its description, in the colours of the page around it, shown also without scripts."""

import base64
import html
import re
from pathlib import Path

from figures.page.style import needed

SCRIPT = Path(__file__).with_name("picture.js")
MOVED = re.compile(r' data-(?:key="[^"]*"|room="[^"]*"|state=""|long="no")|<text[^>]*></text>|(?<=\d)\.0(?=[",A-Z ])')


class Picture:
    """An SVG picture for a notebook.

    svg: the drawing, whose root element is `<svg …>`. alt: what it shows, for those who cannot see it.
    text: the same in plain text. note: a sentence shown beneath. source: the DOT text, where there is one.
    """

    def __init__(self, svg, alt, text="", note="", source=""):
        self.svg, self.alt, self.text, self.note, self.source = svg, alt, text, note, source

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.html(), "text/plain": self.text or self.alt}

    def html(self):
        """The picture as HTML: an <img>, and a script that puts the SVG itself in its place where scripts are run."""
        note = f'<p class="bp-note">{html.escape(self.note)}</p>' if self.note else ""
        script = f"<script>{{{SCRIPT.read_text(encoding='utf-8')}}}</script>"
        return f'<div class="bp bp-picture">{still(self.svg, self.alt)}{note}</div>{script}'

    def savefig(self, path):
        """Write the picture to an .svg file, which shows light or dark as its page does; returns its Path."""
        return save(path, ".svg", standalone(self.svg))

    def __repr__(self):
        return self.text or self.alt


def save(path, kind, content):
    """Write the text of a figure to a file whose name ends in `kind`; returns its Path.

    ValueError, with a sentence, if the name ends otherwise or its folder does not exist. A file of that name is written
    anew.
    """
    path = Path(path)
    if path.suffix.lower() != kind:
        raise ValueError(f"this figure is saved as {kind}, as in savefig('graph{kind}'); got {path.name!r}.")
    if not path.parent.is_dir():
        raise ValueError(f"there is no folder {str(path.parent)!r} to save {path.name!r} in. Make it first.")
    path.write_text(content, encoding="utf-8")
    return path


def labelled(svg, alt, role="img"):
    """The SVG with a role, by default that of an image, and its description."""
    return svg.replace("<svg", f'<svg role="{role}" aria-label="{html.escape(alt)}"', 1)


def lean(svg):
    """The SVG without what only a script has a use for: keys, empty texts, and zeros after the point."""
    return MOVED.sub("", svg)


def standalone(svg, on_page=False):
    """The SVG with its style sheet inside and paper behind it: a file of its own. on_page: as in `style.needed`."""
    opening, rest = svg.split(">", 1)
    opening = f'{opening} class="bp bp-still">'
    return f"{opening}<style>{needed(opening + rest, on_page=on_page)}</style>{rest}"


def still(svg, alt):
    """The SVG as an <img> that needs nothing around it."""
    data = base64.b64encode(standalone(svg, on_page=True).encode()).decode()
    return f'<img alt="{html.escape(alt)}" src="data:image/svg+xml;base64,{data}">'


def table(headings, rows, note=""):
    """An HTML table of texts, with a sentence above it."""
    head = "".join(f'<th scope="col">{html.escape(heading)}</th>' for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    above = f"<p>{html.escape(note)}</p>" if note else ""
    return f'<div class="bp">{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
