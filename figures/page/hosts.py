"""Where a notebook is open: mostly a page may talk to a widget's model, in VS Code and Colab only a view may."""

import json
import sys

VIEW = "application/vnd.jupyter.widget-view+json"


def keeps_widgets_apart():
    """Whether models reach only outputs of the widget kind here: in Colab and VS Code."""
    if "google.colab" in sys.modules:
        return True
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and "__vsc_ipynb_file__" in shell.user_ns


class Paged:
    """A widget whose output is a page. A host that keeps widgets apart gets its view, too, which holds the same page.

    A class that derives from it, and from a widget, has `html()` and `text()`.
    """

    needs_kernel = True  # whether the page is of less use without one

    def _repr_mimebundle_(self, **kwargs):
        shown = {"text/html": self.html(), "text/plain": self.text()}
        if not (self.needs_kernel and keeps_widgets_apart()):
            return shown
        made = super()._repr_mimebundle_(**kwargs)
        data, metadata = made if isinstance(made, tuple) else (made, {})
        return {**shown, VIEW: data[VIEW]}, metadata

    def _handle_custom_msg(self, content, buffers):
        """Send the page to a view, which asks for it: so no saved state of widgets holds it."""
        self.send({"html": self.html()})


def as_attribute(data):
    """Plain data as the attribute data-spec of an element.

    Colab takes scripts out of an element, and where pages are cleaned, as on a site, a template's text would show.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character, written in (("&", "&amp;"), ("'", "&#39;"), ("<", "&lt;")):
        text = text.replace(character, written)
    return f"data-spec='{text}'"
