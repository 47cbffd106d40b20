"""`Linked`: a part of a page that works by itself, and reports to the kernel if there is one."""

import uuid

import anywidget
import traitlets

from figures.page import scripts
from figures.page.hosts import Paged, as_attribute
from figures.page.player import MODEL, close_earlier
from figures.page.style import compact, page_sheet

LINK = scripts.joined(*scripts.LINK)
MOUNT = """for (const place of document.querySelectorAll(".bp-linked[data-kind=KIND]:not([data-mounted])")) {
place.dataset.mounted = "yes";
mount(place.querySelector(".bp-instead"), JSON.parse(place.dataset.spec), place.dataset.name);
}"""  # the same text for all with one script, so that a page with many may hold it once


class Linked(Paged, anywidget.AnyWidget):
    """A part of a page: HTML that needs no script, which a script replaces with live HTML.

    A subclass has `script`, JavaScript with a function `mount(root, spec, name)`, and `instead()`, `spec()` and
    `render_text()`. The script finds this widget by its `name`, and writes to its traits.
    """

    _esm = MODEL

    name = traitlets.Unicode().tag(sync=True)
    script = ""
    looks = ""  # CSS in addition to that of figures

    def __init__(self, **traits):
        name = uuid.uuid4().hex
        super().__init__(name=name, model_id=name, **traits)
        close_earlier(self)

    def close(self):
        """Free the widget, and the ipywidgets Layout that came with it."""
        if self.comm is not None:
            self.layout.close()
        super().close()

    def instead(self):
        """Return what the page shows if no script runs, as HTML."""
        raise NotImplementedError

    def spec(self):
        """Return the data for the script."""
        raise NotImplementedError

    def render_text(self):
        """Return the content as plain text."""
        raise NotImplementedError

    def html(self):
        """Return the HTML of this part, with its script and its style sheet."""
        looks = page_sheet() + compact(self.looks)
        kind = next(each.__name__ for each in type(self).__mro__ if "script" in vars(each))
        return (
            f'<div class="bp-linked" data-kind="{kind}" data-name="{self.name}" {as_attribute(self.spec())}>'
            f'<style>{looks}</style><div class="bp-instead">{self.instead()}</div></div>'
            f'<script type="module">{LINK}\n{self.script}\n{MOUNT.replace("KIND", kind)}</script>'
        )
