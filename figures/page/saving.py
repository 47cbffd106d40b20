"""Figures as files: a picture as SVG, a player as a page whose labs step without a kernel."""

import html
from pathlib import Path

PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    "<title>{title}</title><style>:root {{ color-scheme: light dark }} body {{ margin: 1.5em auto; max-width: 1100px }}"
    "</style><body>{body}</body></html>\n"
)


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


def page(title, body):
    """A web page of its own around the HTML of a figure."""
    return PAGE.format(title=html.escape(title), body=body)
