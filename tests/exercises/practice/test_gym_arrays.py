"""The gym's questions on arrays: their answers are the engine's, their wrong ones those of known mistakes."""

import re

import numpy as np
import pytest

from autograd.tensor import Tensor
from exercises.engines.wrong_tensors import WRONG_TENSORS
from exercises.practice import arrays
from exercises.practice.asked import APART
from exercises.practice.drawing import drawn
from exercises.practice.questions import question
from tests.exercises.practice.test_gym import given_by, told_apart


@pytest.mark.parametrize("name", arrays.WAYS)
def test_gradient_variants_match_their_known_mistakes(name):
    rng, place = np.random.default_rng(3), "XW".index(name)
    X, W, G = rng.normal(size=(3, 3, 3))
    known = {"": [(G @ W.T, X.T @ G)[place]]}
    for result, mistake in arrays.results("matmul_vjps", X, W, G):
        known.setdefault(mistake.name, []).append(result[place])
    for way, mistake in arrays.WAYS[name].items():
        got = eval(way, {"np": np, "X": X, "W": W, "G": G})
        assert any(np.allclose(got, other) for other in known[mistake]), way


@pytest.mark.parametrize("seed", range(40))
def test_shape_and_axis_answers_match_the_engine(seed):
    made = question(9, seed)
    assert drawn(made) is None
    sizes = dict(re.findall(r"(\w)\.shape is (\([\d, ]+\))", made.code))
    leaves = {name: Tensor(np.ones(eval(size))) for name, size in sizes.items()}
    assert len(set(made.options)) == len(made.options) == len(given_by(made)) + 1 >= 6
    assert [option for option in made.options if len(made.mistakes_of(option)) != (option != made.answer)] == []
    if "axes summed back" in made.patterns:
        (x, b), along = leaves.values(), [int(axis) for axis in re.findall(r"\d", made.answer)]
        upstream = np.random.default_rng(seed).normal(size=x.shape)
        (x + b).backward(gradient=upstream)
        assert np.allclose(upstream.sum(axis=tuple(along)).reshape(b.shape), b.grad)
    elif "shape of a gradient" in made.patterns:
        assert made.answer == sizes["b"]
    else:
        assert made.answer == {"W": "X.T @ G", "X": "G @ W.T"}[made.says.split("`")[1][0]]


@pytest.mark.parametrize("seed", range(30))
def test_row_answers_match_the_engine_and_overwriting_is_named(seed):
    made = question(11, seed)
    (name, *place), nodes = made.asked, made.case.run(Tensor)
    nodes["Y"].backward(gradient=np.array(made.upstream, dtype=float))
    assert nodes[name].grad[tuple(place)] == pytest.approx(made.answer, abs=1e-4) and told_apart(made) >= 5
    if made.patterns == ("rows looked up",):
        (_, looked), gradient = made.case.steps[0][2], np.zeros(nodes["E"].shape)
        gradient[list(looked)] += made.upstream
        assert made.mistakes_of(gradient[tuple(place)])
    else:
        assert made.code.splitlines()[2] == f"# Y is {nodes['Y'].data.round(4).tolist()}"


@pytest.mark.parametrize("seed", range(20))
def test_entry_answers_match_the_engine_and_wrong_engines(seed):
    made = question(10, seed)
    name, *place = made.asked

    def entry(engine):
        nodes = made.case.run(engine)
        (nodes[made.case.root] * np.array(made.upstream)).sum().backward()
        return nodes[name].grad[tuple(place)]

    assert entry(Tensor) == made.answer and told_apart(made) >= 5
    for wrong in WRONG_TENSORS[2:6]:  # those whose gradients have the right shape
        got = entry(wrong.engine)
        assert abs(got - made.answer) < APART or made.mistakes_of(got), wrong.name
