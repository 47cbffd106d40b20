"""`Panels`: a Recording whose stage is several drawings, combined into one as a still picture."""

import re
from dataclasses import dataclass

from figures.page.player import Recording
from figures.page.svg import svg


@dataclass(frozen=True)
class Panels(Recording):
    """A Recording whose stage is several drawings. places: the place of each in a still picture, as (x, y)."""

    places: tuple = ()

    def picture(self, index=-1):
        drawings = re.findall("<svg.*?</svg>", self.render(self.frames[index].updates), re.DOTALL)
        sizes = [[int(size) for size in re.findall(r' (?:width|height)="(\d+)"', each)[:2]] for each in drawings]
        placed = [each.replace("<svg ", f'<svg x="{x}" y="{y}" ', 1) for each, (x, y) in zip(drawings, self.places)]
        ends = [(x + width, y + height) for (x, y), (width, height) in zip(self.places, sizes)]
        return svg(*map(max, zip(*ends)), *placed)
