"""The memory lab: its bytes are those that the engine's run takes, its best segment the one that is measured."""

import tracemalloc

import pytest

from autograd.lessons.recompute import backward, deep_network
from autograd.tensor import Tensor
from figures import memory
from figures.labs.memory import BATCH, LAYERS, SEGMENTS, WIDTH, least, moments, peaks, sizes
from tests.lab_graphs import shown


@pytest.mark.parametrize("every", [1, 2, 4, 8, 64])
def test_peaks_match_python_allocations(every):
    """Within 3 arrays of 262 kB, where the gradients of the parameters, which the lab leaves out, are no new ones."""
    stack, parameters, inputs = deep_network(64, WIDTH, BATCH)
    tracemalloc.start()
    try:
        backward(stack, inputs, Tensor.mean, every)
        counted = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    gradients = sum(parameter.grad.nbytes for parameter in parameters)
    assert -3 * inputs.nbytes < counted - peaks(64)[every].bytes < 3 * inputs.nbytes + gradients


def test_layer_sizes_are_measured_on_the_engine():
    """Four arrays and a copy of the weights forward, two backward."""
    array, weights = BATCH * WIDTH * 8, WIDTH * WIDTH * 8
    assert (sizes().array, sizes().graph, sizes().grads) == (array, 4 * array + weights, 2 * array)


def test_best_segment_is_not_the_square_root_of_the_layers():
    assert {layers: least(peaks(layers)) for layers in LAYERS} == {16: 2, 32: 2, 64: 4}
    assert list(peaks(16)) == [1, 2, 4, 8, 16]
    found = {every: f"{moment.bytes / 1e6:.1f}" for every, moment in peaks(64).items()}
    assert found == {1: "19.2", 2: "12.4", 4: "11.4", 8: "15.7", 16: "27.5", 32: "52.7", 64: "103.8"}


@pytest.mark.parametrize("every", SEGMENTS)
def test_moments_match_the_runs_of_checkpointing(every):
    runs = []
    stack = [lambda h, i=i: (runs.append(i), h.tanh())[1] for i in range(64)]
    backward(stack, [[1.0]], Tensor.mean, every)
    course = list(moments(64, every, sizes()))
    assert [moment.layer for moment in course if moment.kind in ("forward", "again")] == runs
    assert [moment.layer for moment in course if moment.kind == "back"] == list(range(64))[::-1]
    assert course[-1].bytes == 0 and course[-1].computed == len(runs)


def test_backward_moment_has_graph_and_gradients_of_its_segment():
    for moment in moments(64, 8, sizes()):
        if moment.kind == "back":
            assert moment.layer in moment.graph and moment.grads == range(moment.layer, moment.graph.stop)
            assert moment.inputs == tuple(range(0, moment.graph.stop, 8))


def test_other_peaks_are_shown_only_at_the_end():
    player = memory(4)
    frames = len(player.recording.frames)
    for index in (0, 100, frames - 2):
        assert [shown(player, index)[f"peak {every}"] for every in SEGMENTS if every != 4] == ["?"] * 6
    peaks_shown = [shown(player)[f"peak {every}"] for every in (4, 8)]
    assert peaks_shown == ["11.4 MB", "15.7 MB"] and shown(player)["computed"] == "124"


def test_described_second_runs_match_the_count():
    for segment, layers, runs, said in (
        (4, 64, 124, "With segments of 4, 60 layers run a second time."),
        (8, 64, 120, "With segments of 4, 60 layers run a second time; with 8, as here, 56."),
        (16, 32, 48, "With segments of 2, 30 layers run a second time; with 16, as here, 16."),
        (64, 16, 16, "With segments of 2, 14 layers run a second time; with 16, as here, none."),
    ):
        player = memory(segment, layers)
        assert player.recording.frames[-1].say.endswith(said) and shown(player)["computed"] == str(runs)
