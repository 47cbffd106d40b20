"""A page's metadata for search engines and previews: a description, and, at an address, a picture."""

import html
import re
import textwrap

from docutils import nodes

from site_build import TITLE
from site_build.book import preview
from site_build.book.guide import forms

FRONT = (
    "An interactive course on how loss.backward() works: write an engine of your own, and drag, step and break "
    "figures. It runs in a browser."
)
SHEETED = ("index", "labs", forms.PAGES["A"], forms.PAGES["B"])
MOST = 200  # characters of a description
LEAST = 50  # of a paragraph that says something about its page


def setup(app):
    """Register with Sphinx."""
    app.connect("html-page-context", described)
    return {"parallel_read_safe": True}


def described(app, name, template, context, doctree):
    """Give a page its description, and give the front page and the tests their style sheet."""
    if name in SHEETED:
        app.add_css_file("pages.css", priority=900)  # after all others
    said = FRONT if name == "index" else description(doctree) if doctree else ""
    title = TITLE if name == "index" else html.unescape(re.sub("<[^>]*>", "", context.get("title", "")))
    known = {"og:site_name": TITLE, "og:title": title, "og:type": "website"} | (
        {"og:description": said} if said else {}
    )
    if address := app.config.html_baseurl:
        known |= {"og:url": context["pageurl"], "og:image": address + preview.NAME, "og:image:alt": preview.ALT}
        known |= {"og:image:width": preview.SIZE[0], "og:image:height": preview.SIZE[1]}
    tags = [f'<meta property="{key}" content="{html.escape(str(value))}">' for key, value in known.items()]
    if said:
        tags.append(f'<meta name="description" content="{html.escape(said)}">')
    if address:
        tags.append('<meta name="twitter:card" content="summary_large_image">')
    context["metatags"] = context.get("metatags", "") + "\n".join(tags)


def description(doctree):
    """Return the first paragraph of a page that says something, cut at a word; "" if none does."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if len(text) >= LEAST and "All lessons" not in text and isinstance(paragraph.parent, nodes.section):
            return textwrap.shorten(text, MOST, placeholder=" …")
    return ""
