"""`Picture`: an SVG with its description, in the colours of the page around it, shown even without scripts."""

import base64
import html
import re
from pathlib import Path

from figures.page.style import needed

SCRIPT = Path(__file__).with_name("picture.js")
MOVED = re.compile(r' data-(?:key="[^"]*"|room="[^"]*"|state=""|long="no")|<text[^>]*></text>|(?<=\d)\.0(?=[",A-Z ])')


class Picture:
    """An SVG picture for a notebook.

    svg: the drawing, whose root element is `<svg …>`. alt: a description for those who cannot see it.
    text: the same in plain text. note: a sentence shown beneath. source: the DOT text, if there is one.
    """

    def __init__(self, svg, alt, text="", note="", source=""):
        self.svg, self.alt, self.text, self.note, self.source = svg, alt, text, note, source

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.html(), "text/plain": self.text or self.alt}

    def html(self):
        """Return the picture as HTML: an <img>, and a script that replaces it by the SVG itself if scripts run."""
        note = f'<p class="bp-note">{html.escape(self.note)}</p>' if self.note else ""
        script = f"<script>{{{SCRIPT.read_text(encoding='utf-8')}}}</script>"
        return f'<div class="bp bp-picture">{still(self.svg, self.alt)}{note}</div>{script}'

    def savefig(self, path):
        """Write the picture to an .svg file, which shows light or dark as its page does; return its Path."""
        return save(path, ".svg", standalone(self.svg))

    def __repr__(self):
        return self.text or self.alt


def save(path, kind, content):
    """Write the text of a figure to a file whose name ends in `kind`; return its Path.

    Raise ValueError if the name ends otherwise or its folder does not exist. An existing file of that name is
    overwritten.
    """
    path = Path(path)
    if path.suffix.lower() != kind:
        raise ValueError(f"this figure is saved as {kind}, as in savefig('graph{kind}'); got {path.name!r}.")
    if not path.parent.is_dir():
        raise ValueError(f"there is no folder {str(path.parent)!r} to save {path.name!r} in. Make it first.")
    path.write_text(content, encoding="utf-8")
    return path


def labelled(svg, alt, role="img"):
    """Return the SVG with its description and a role, by default that of an image."""
    return svg.replace("<svg", f'<svg role="{role}" aria-label="{html.escape(alt)}"', 1)


def lean(svg):
    """Return the SVG without the parts that only a script needs: keys, empty texts, and zeros after the point."""
    return MOVED.sub("", svg)


def standalone(svg, on_page=False):
    """Return the SVG as a file, with its style sheet inside and paper behind it. on_page: as in `style.needed`."""
    opening, rest = svg.split(">", 1)
    opening = f'{opening} class="bp bp-still">'
    return f"{opening}<style>{needed(opening + rest, on_page=on_page)}</style>{rest}"


def still(svg, alt):
    """Return the SVG as an <img> that needs nothing around it."""
    data = base64.b64encode(standalone(svg, on_page=True).encode()).decode()
    return f'<img alt="{html.escape(alt)}" src="data:image/svg+xml;base64,{data}">'


def table(headings, rows, note=""):
    """Return an HTML table of texts, with a sentence above it."""
    head = "".join(f'<th scope="col">{html.escape(heading)}</th>' for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    above = f"<p>{html.escape(note)}</p>" if note else ""
    return f'<div class="bp">{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
