"""The last changes to the pages that Sphinx has made: names of regions, sizes of pictures, a sitemap."""

import functools
import re
from xml.sax.saxutils import escape

from PIL import Image

from site_build.book import look, preview

NAMED = {  # replacements in a page: each region has its own name, each heading a level
    'role="heading">': 'role="heading" aria-level="2">',
    '<aside class="sidebar-drawer"': '<aside class="sidebar-drawer" aria-label="All pages"',
    '<aside class="toc-drawer"': '<aside class="toc-drawer" aria-label="On this page"',
    '<aside class="toc-drawer no-toc"': '<aside class="toc-drawer no-toc" aria-label="On this page"',
}
PICTURE = re.compile(r'<img (?![^>]*\bwidth=)([^>]*\bsrc="([^":]+\.png)"[^>]*)>')
UNLISTED = ("search.html", "genindex.html", "py-modindex.html")  # pages that a sitemap leaves out


def pages(made, address):
    """Finish the pages in a folder. address: where the book will be published, with a / at its end, or ""."""
    for place in made.rglob("*.html"):
        text = place.read_text(encoding="utf-8")
        for before, after in NAMED.items():
            text = text.replace(before, after)
        text = look.settled(PICTURE.sub(functools.partial(sized, place.parent), text), place.parent)
        if place == made / "index.html":
            text = text.replace('<html class="no-js"', '<html class="no-js front"', 1)
        place.write_text(text, encoding="utf-8")
    if address:
        names = sorted(place.relative_to(made).as_posix() for place in made.rglob("*.html"))
        (made / "sitemap.xml").write_text(sitemap(address, names), encoding="utf-8")
        preview.save(made / preview.NAME)


def sized(folder, found):
    """Return a picture's element with the size of its file, so that its room is there before it loads."""
    with Image.open(folder / found[2].split("?")[0]) as picture:
        width, height = picture.size
    return f'<img width="{width}" height="{height}" {found[1]}>'


def sitemap(address, names):
    """Return the sitemap of the pages with these names."""
    places = [address + ("" if name == "index.html" else name) for name in names if name not in UNLISTED]
    urls = "".join(f"<url><loc>{escape(place)}</loc></url>\n" for place in places)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return f"{head}{urls}</urlset>\n"
