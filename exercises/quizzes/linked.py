"""`Linked`: a part of a page that works by itself, and tells the kernel what happens in it while there is one."""

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

    A class that derives from it has `script`, JavaScript with a function `mount(root, spec, name)`, and `instead()`,
    `spec()` and `text()`. The script finds this widget by its `name`, and writes to its traits.
    """

    _esm = MODEL

    name = traitlets.Unicode().tag(sync=True)
    script = ""
    looks = ""  # CSS beside that of figures

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
        """What the page shows where no script is run, as HTML."""
        raise NotImplementedError

    def spec(self):
        """What the script needs, as plain data."""
        raise NotImplementedError

    def text(self):
        """The same as plain text."""
        raise NotImplementedError

    def html(self):
        """The part of the page, with its script and its looks."""
        looks = page_sheet() + compact(self.looks)
        kind = next(each.__name__ for each in type(self).__mro__ if "script" in vars(each))
        return (
            f'<div class="bp-linked" data-kind="{kind}" data-name="{self.name}" {as_attribute(self.spec())}>'
            f'<style>{looks}</style><div class="bp-instead">{self.instead()}</div></div>'
            f'<script type="module">{LINK}\n{self.script}\n{MOUNT.replace("KIND", kind)}</script>'
        )
