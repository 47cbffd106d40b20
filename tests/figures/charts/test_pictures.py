"""Pictures of digits: what they say, what they draw, and what they refuse."""

import numpy as np

from figures import pictures


def test_pictures_draw_each_inked_pixel_and_name_each_picture():
    drawn = pictures([[0, 1, 0.5, 0], [0, 0, 0, 0]], [7, 3])
    assert drawn.alt == "2 grey pictures of 2 × 2 pixels. Their names: 7, 3."
    assert drawn.svg.count("#000000") == 1 and drawn.svg.count("#7f7f7f") == 1 and drawn.svg.count("#fff;") == 2
    assert ">7</text>" in drawn.svg and "names" not in pictures(np.zeros((1, 64))).alt
