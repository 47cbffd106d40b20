"""`folded`: a cell's output behind a click, so that learners predict before they see it."""

import base64
import html

from autograd.errors import messages
from figures.charts import display
from figures.page.hosts import VIEW

SUMMARY = (  # inline styles: a page that runs no script does not have our style sheet
    "width:fit-content;max-width:100%;box-sizing:border-box;padding:.35em .9em;cursor:pointer;"
    "border:1px solid var(--jp-border-color0,#8a8a8a);border-radius:8px;"
    "font:14px/1.45 var(--jp-ui-font-family,system-ui,sans-serif);color:var(--jp-ui-font-color1,inherit)"
)
TEXT = (
    "margin:0;padding:0;background:none;white-space:pre-wrap;overflow-wrap:anywhere;"
    "font:13px/1.4 var(--jp-code-font-family,ui-monospace,monospace);color:var(--jp-content-font-color1,inherit)"
)
PICTURES = "image/png", "image/jpeg"


class Folded:
    """An object and a prompt; a notebook shows the prompt, and the object once it is opened."""

    def __init__(self, thing, prompt):
        self.thing, self.prompt = thing, prompt

    def bundles(self):
        """Return what a notebook shows of the object; for a tuple with a picture or a lab, of each of its parts."""
        if isinstance(self.thing, str) and "\n" in self.thing:  # lines: shown as print does
            return [{"text/plain": self.thing}]
        if isinstance(self.thing, tuple):
            parts = [display.bundle(part) for part in self.thing]
            if any(set(part) - {"text/plain"} for part in parts):
                return parts
        return [display.bundle(self.thing)]

    def _repr_mimebundle_(self, **kwargs):
        bundles = self.bundles()
        return {"text/html": self.page(bundles), "text/plain": text_of(bundles)}

    def __repr__(self):
        return text_of(self.bundles())

    def page(self, bundles):
        """Return the fold as HTML, closed. A click, Enter or Space opens it; JupyterLab does not get these keys."""
        inside = "".join(f'<div style="margin:.6em 0 0">{content(bundle)}</div>' for bundle in bundles)
        return (
            f'<details><summary data-lm-suppress-shortcuts="true" style="{SUMMARY}">'
            f"<b>Show</b> · {html.escape(self.prompt)}</summary>{inside}</details>"
        )


def text_of(bundles):
    return "\n".join(bundle.get("text/plain", "") for bundle in bundles)


def content(bundle):
    """Return the HTML of one object, the richest that a page can hold."""
    if "text/html" in bundle:
        return bundle["text/html"]
    if "image/svg+xml" in bundle:
        return bundle["image/svg+xml"]
    for kind in PICTURES:
        if kind in bundle:
            data = bundle[kind]
            data = base64.b64encode(data).decode() if isinstance(data, bytes) else data
            return f'<img alt="{html.escape(bundle["text/plain"])}" src="data:{kind};base64,{data}">'
    if VIEW in bundle:
        raise TypeError(
            "folded cannot hold a widget that JupyterLab itself draws. It holds labs, pictures, charts and results."
        )
    return f'<pre style="{TEXT}">{html.escape(bundle["text/plain"])}</pre>'


def folded(thing, prompt="What did you predict?"):
    """Show a cell's last expression folded, under a prompt: closed at every run, opened by a click or a key.

    thing: a number, a list, a text, a chart, a picture, a lab, a verdict: anything that a notebook can show. Each part
    of a tuple with pictures or labs is shown. A text of several lines is shown as `print` does. In text mode nothing is
    folded.
    """
    if not isinstance(prompt, str) or not prompt.strip():
        raise TypeError(f"the prompt is a string, such as 'What did you predict?'; got {messages.described(prompt)}.")
    return Folded(thing, prompt)
