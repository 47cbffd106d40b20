"""The workshop on memory: the peaks of the lab, segments that are equal to the last bit, and what holds a graph."""

import math

import numpy as np
import pytest

from autograd.lessons import recompute
from exercises.quizzes import quiz_data
from figures.labs import memory
from tests.notebooks import Lesson

LESSON = Lesson("out_of_memory")


def test_memory_peaks_and_bytes_per_array():
    peaks = {segment: moment.bytes / 1e6 for segment, moment in memory.peaks(64).items()}
    LESSON.says(f"| peak, MB | {' | '.join(f'{peak:.1f}' for peak in peaks.values())} |", "a ninth of the memory")
    assert min(peaks, key=peaks.get) == 4 and round(peaks[64] / peaks[4]) == 9
    LESSON.says(f"{512 * 64 * 8:,} bytes", f"√(64/6) = {math.sqrt(64 / 6):.1f}")
    asked = {each["id"]: each["number"]["answer"] for each in quiz_data.load(LESSON.path.stem)["questions"][:2]}
    assert min(range(1, 101), key=lambda s: 100 / s + 4 * s) == asked["14-root-of-n"]
    assert asked["14-recompute-cost"] == pytest.approx(4 / 3, abs=1e-4)


def test_segments_give_equal_results_and_held_memory():
    assert LESSON.output("exercises.folded(sum(differs))") == "0"
    assert LESSON.output("left_in_memory(Value)") == "(101, 0)"
    first, *more = np.diff(eval(LESSON.output("exercises.folded(held)")))
    assert more == [first] * 2 and first >= 4


@pytest.mark.parametrize("keeps_state", [False, True])
def test_rerun_needs_the_same_random_numbers(keeps_state):
    def gradients(every):
        layers, parameters, inputs = recompute.deep_network(4, 6, 5)
        rng = np.random.RandomState(1)
        draw = lambda h: (np.random.RandomState(1) if keeps_state else rng).uniform(size=h.data.shape)  # noqa: E731
        layers.insert(1, lambda h: h * (draw(h) < 0.5).astype(float))
        recompute.backward(layers, inputs, lambda h: (h * h).mean(), every)
        return [parameter.grad for parameter in parameters]

    differ = [pair for pair in zip(gradients(None), gradients(2)) if not np.array_equal(*pair)]
    assert (differ == []) == keeps_state, differ
