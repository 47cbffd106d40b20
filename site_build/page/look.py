"""The book's font and colours for JupyterLab's frame, as far as its themes have names for them."""

import re
from pathlib import Path

from site_build.book import fonts, look

SHEET = "backprop-look.css"
STATIC = Path(__file__).with_name("browser") / "look.css"  # what both themes have
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}  # the third, of high contrast, stays unchanged
FACE = re.compile(r"@font-face \{[^}]*url\([^}]*\}")
NAMES = {  # a colour of the book: the parts of a theme, --jp-…, that have it
    "paper": ("layout-color0", "layout-color1"),
    "wash": ("layout-color2", "cell-editor-background", "rendermime-table-row-background"),
    "over": ("layout-color3", "toolbar-active-background"),
    "rule": ("border-color0", "border-color1", "border-color2", "cell-editor-border-color"),
    "ink": ("ui-font-color0", "ui-font-color1", "content-font-color0", "content-font-color1"),
    "soft": ("ui-font-color2", "content-font-color2"),
    "muted": ("ui-font-color3", "content-font-color3"),
    "data": ("brand-color0", "brand-color1", "content-link-color", "content-link-visited-color"),
}
CODE = {  # the same for code, whose colours the book has too
    "ink": ("variable", "property", "operator", "punctuation", "def", "builtin", "bracket"),
    **{"data": ("keyword", "meta"), "grad": ("number", "atom"), "right": ("string", "string-2"), "soft": ("comment",)},
}


def write(folder):
    """Write the style sheet into the folder of JupyterLab's page, and the fonts next to it."""
    book = (fonts.FONTS.parent / "book.css").read_text(encoding="utf-8")
    sheets = [*FACE.findall(book), *first_seconds(), STATIC.read_text(encoding="utf-8").strip(), *map(theme, THEMES)]
    (folder / SHEET).write_text("\n".join(sheets) + "\n", encoding="utf-8")
    fonts.lay(folder / "fonts")


def first_seconds():
    """Yield the rules for the time before JupyterLab has a theme: paper and ink, as on the visitor's system."""
    for name in THEMES:
        colours = look.colours(name)
        body = f"--jp-layout-color1: {colours['paper']}; --jp-ui-font-color1: {colours['ink']};"
        body += f" --jp-layout-color2: {colours['wash']}; --jp-border-color1: {colours['rule']};"
        yield f"@media (prefers-color-scheme: {name}) {{ :root {{ {body} color: {colours['ink']}; }} }}"


def theme(name):
    """Return the rule of one theme, "light" or "dark"."""
    colours = look.colours(name)
    parts = {part: colours[its] for its, names in NAMES.items() for part in names}
    parts |= {f"mirror-editor-{part}-color": colours[its] for its, names in CODE.items() for part in names}
    body = "".join(f"  --jp-{part}: {colour};\n" for part, colour in parts.items())
    return f':root:has([data-jp-theme-name="{THEMES[name]}"]) {{\n{body}}}'
