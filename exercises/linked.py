"""`Linked`: a part of a page that works by itself, and tells the kernel what happens in it while there is one."""

import uuid

import anywidget
import traitlets

from figures import scripts
from figures.hosts import Paged, as_attribute
from figures.player import MODEL, close_earlier
from figures.style import compact, page_sheet

LINK = scripts.joined(*scripts.LINK)


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
        return (
            f'<div class="bp-linked" data-name="{self.name}" {as_attribute(self.spec())}><style>{looks}</style>'
            f'<div class="bp-instead">{self.instead()}</div></div>'
            f'<script type="module">{LINK}\n{self.script}\n'
            f"const place = document.querySelector('.bp-linked[data-name=\"{self.name}\"]:not([data-mounted])');\n"
            "if (place) {\n"
            '  place.dataset.mounted = "yes";\n'
            "  const spec = JSON.parse(place.dataset.spec);\n"
            '  mount(place.querySelector(".bp-instead"), spec, place.dataset.name);\n}</script>'
        )
