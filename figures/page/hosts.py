"""The hosts of notebooks: usually a page may talk to a widget's model, but in VS Code and Colab only a view may."""

import json
import sys

VIEW = "application/vnd.jupyter.widget-view+json"


def keeps_widgets_apart():
    """Return whether only outputs of the widget kind reach models here: in Colab and VS Code."""
    if "google.colab" in sys.modules:
        return True
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and "__vsc_ipynb_file__" in shell.user_ns


class Paged:
    """A widget whose output is a page. A host that keeps widgets apart also gets its view, which holds the same page.

    A class that derives from it, and from a widget, has `html()` and `render_text()`.
    """

    needs_kernel = True  # whether the page can do less without one

    def _repr_mimebundle_(self, **kwargs):
        shown = {"text/html": self.html(), "text/plain": self.render_text()}
        if not (self.needs_kernel and keeps_widgets_apart()):
            return shown
        made = super()._repr_mimebundle_(**kwargs)
        data, metadata = made if isinstance(made, tuple) else (made, {})
        return {**shown, VIEW: data[VIEW]}, metadata

    def _handle_custom_msg(self, content, buffers):
        """Send the page to a view that asks for it, so that no saved widget state holds it."""
        self.send({"html": self.html()})


def as_attribute(data):
    """Return plain data as the attribute data-spec of an element.

    Colab removes scripts from an element, and on sites that sanitise pages, a template's text would show.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character, written in (("&", "&amp;"), ("'", "&#39;"), ("<", "&lt;")):
        text = text.replace(character, written)
    return f"data-spec='{text}'"
