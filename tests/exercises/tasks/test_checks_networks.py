"""The checks of neuron, layer and MLP: what they accept as right, and the parts of an answer.

Answers to them, right and wrong, are in tests/attempts.
"""

import functools
import random
import re

import pytest

import autograd
from autograd import Value, topological_order
from exercises.content import library
from exercises.engine_file import cells, check
from exercises.tasks.count_parameters import check as count_parameters_check
from exercises.tasks.mlp import check as mlp_check
from exercises.tasks.reach_all import check as reach_all_check
from exercises.tasks.shared import layers as shared
from exercises.verdicts.results import NOT_YET

NAMES = ("neuron", "layer", "mlp", "count_parameters", "reach_all")
GIVEN = {"Value": Value, "random": random, "autograd": autograd}


def put_in(code, names, cell):
    """Run the code of a cell with this file name: what it defines is distinct from what others do, as in a notebook."""
    exec(compile(code, cell, "exec"), names)


@functools.cache
def solved():
    names = dict(GIVEN)
    for name in NAMES:
        put_in(library.solution(name).code, names, f"<the cell of {name}>")
    return names


def checked(name, names):
    exercise = getattr(check, name)
    return exercise(*(names[each] for each in exercise.takes))


def changed(name, *swaps):
    code = library.solution(name).code
    for old, new in swaps:
        assert code.count(old) == 1, old
        code = code.replace(old, new)
    names = dict(solved())
    put_in(code, names, cells.register_text(code, name))
    return checked(name, names)


def test_network_checks_leave_the_random_state_unchanged():
    random.seed(3)
    expected = random.random()
    random.seed(3)
    for name in NAMES:
        checked(name, solved())
    assert random.random() == expected


@pytest.mark.long
def test_network_case_shows_the_calls_made():
    verdict = changed("neuron", ("total.tanh()", "total"))
    first, numbers, call = verdict.case.splitlines()
    assert first == "neuron = Neuron(2)" and numbers.startswith("# its weights: ") and call.startswith("neuron([")
    assert verdict.rows[0][0] == "output" and "Computation graph" in verdict.html()
    kept = "self.out = getattr(self, 'out', total.tanh())\n        return self.out"
    verdict = changed("neuron", ("return total.tanh()", kept))
    assert verdict.case.count("\nneuron([") == 2 and "\n[neuron.parameters() for _ in range(3)]\n" in verdict.case
    kept = ("self.layers = ", "MLP.layers = getattr(MLP, 'layers', [])\n        self.layers += ")
    assert changed("mlp", kept).case == "MLP(2, [4, 1])\nnet = MLP(3, [2, 5, 2])"


# The parts that an answer is made of

BACKWARDS = ("in self.neurons]\n\n", "in self.neurons[::-1]]\n\n")


@pytest.mark.parametrize("name", ["neuron", "layer", "mlp"])
def test_course_network_classes_are_not_accepted(name):
    cls = getattr(autograd, check.__getattr__(name).takes[0])
    assert "comes from the course itself" in getattr(check, name)(cls).render_text()
    assert "derived from the course's own class" in getattr(check, name)(type(cls.__name__, (cls,), {})).render_text()


@pytest.mark.parametrize("code", [library.stub("neuron"), library.solution("neuron").code.replace(".tanh()", "")])
def test_other_exercises_do_not_depend_on_a_wrong_neuron(code):
    names = dict(solved())
    put_in(code, names, "<the cell of neuron>")
    for name in ("layer", "mlp"):
        put_in(library.solution(name).code, names, f"<the cell of {name}>")
        assert checked(name, names), checked(name, names)
    assert names["Neuron"].__call__.__code__.co_filename == "<the cell of neuron>", "as it was, after the checks"
    put_in(library.solution("layer").code.replace(*BACKWARDS), names, "layer")
    assert checked("mlp", names), checked("mlp", names)


OVERWRITING = ("            total = total + w * x\n", "            total = total + w * x\n        inputs.clear()\n")


def test_unfinished_or_wrong_class_in_the_cell_is_named():
    neuron, layer, mlp = (library.solution(name).code for name in ("neuron", "layer", "mlp"))
    wrong = neuron.replace("total.tanh()", "total")
    for name, code, said in (
        ("layer", library.stub("neuron") + layer, "Layer uses a class Neuron that is not finished"),
        ("mlp", library.stub("neuron") + layer + mlp, "MLP uses a class Neuron that is not finished"),
        ("layer", wrong + layer, "Called one by one, its neurons do not"),
        ("mlp", wrong + layer + mlp, "Called one by one, its neurons do not"),
        ("mlp", neuron + layer.replace(*BACKWARDS) + mlp, "Called one by one, its layers do not"),
        ("layer", neuron.replace(*OVERWRITING) + layer, "one of its parts called alone. It changed the list"),
    ):
        names = dict(solved())
        put_in(code, names, name)
        assert said in checked(name, names).render_text(), checked(name, names)


@pytest.mark.parametrize("name", ["neuron", "layer", "mlp"])
@pytest.mark.parametrize("method", ["__call__", "parameters"])
def test_missing_method_is_named(name, method):
    names = dict(solved())
    stub, code = library.stub(name).split("    def "), library.solution(name).code.split("    def ")
    parts = [old if old.startswith(method) else new for old, new in zip(stub, code)]
    put_in("    def ".join(parts), names, name)
    verdict = checked(name, names)
    assert verdict.state == NOT_YET and f"{method} is still" in verdict.render_text().replace("`", ""), (
        verdict.render_text()
    )


# Questions of the checks, and accepted answers

SHAPES = [
    *(shared.shape_of(n) for n in (1, 2, 3, 4, 5, 8)),
    *(shared.shape_of(n, m) for n, m in ((2, 3), (1, 4), (3, 3))),
    *(shared.shape_of(n, sizes) for n, sizes in mlp_check.NETWORKS),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_expected_outputs_and_slopes_match_autograd_networks(shape):
    net = autograd.MLP(shape[0][0], [m for _, m in shape], output="tanh")
    for ask in shared.asks(shape):
        for p, number in zip(net.parameters(), ask.numbers, strict=True):
            p.data, p.grad = number, 0.0
        inputs = [Value(x) for x in ask.inputs]
        assert [float(x) for x in ask.given()] == list(ask.inputs)
        outputs = net(inputs) if shape[-1][1] > 1 else [net(inputs)]
        assert [out.data for out in outputs] == pytest.approx(ask.outputs, abs=1e-12)
        shared.mixture(outputs).backward()
        assert [p.grad for p in [*net.parameters(), *inputs]] == pytest.approx(ask.slopes, abs=1e-12)


def test_network_inputs_cover_zeros_equal_numbers_and_values():
    asks = [ask for shape in SHAPES for ask in shared.asks(shape)]
    numbers, inputs = ({x for ask in asks for x in of(ask)} for of in (lambda a: a.numbers, lambda a: a.inputs))
    assert {0, 1, -1} <= numbers & inputs and any(isinstance(x, int) for x in inputs) and any(x % 1 for x in inputs)
    assert {ask.form for ask in asks} == {*shared.FORMS, "one"}
    assert any(len(set(ask.inputs)) < len(ask.inputs) for ask in asks if ask.form != "one"), asks
    assert any(abs(out) > 0.995 for ask in asks for out in ask.outputs), asks
    assert any(1 in sizes[:-1] for _, sizes in mlp_check.NETWORKS), mlp_check.NETWORKS
    for shape in SHAPES:
        first, second, third, fourth = shared.asks(shape)
        assert first.numbers == second.numbers != third.numbers == fourth.numbers and first.inputs == fourth.inputs
        assert first.outputs != fourth.outputs and 0 not in first.numbers + first.inputs


def test_parameter_counts_match_autograd_networks():
    for sizes in count_parameters_check.some_sizes():
        assert count_parameters_check.parameters_counted(sizes) == len(autograd.MLP(sizes[0], sizes[1:]).parameters())
    assert count_parameters_check.parameters_counted([784, 100, 10]) == 784 * 100 + 100 + 100 * 10 + 10
    assert any(len(set(sizes)) == 1 < len(sizes) - 2 for sizes in count_parameters_check.some_sizes())


@pytest.mark.parametrize("seed", [8, 9, 10])
def test_reach_all_models_contain_every_kind_of_fault(seed):
    models = reach_all_check.models(seed)
    assert {model.kind for model in models} == set(reach_all_check.KINDS)
    for model in models:
        parameters, loss = model.values()
        assert sorted(solved()["unreached"](parameters, loss)) == model.unreached
        for p in parameters:
            assert p.grad == pytest.approx(model.slopes[p.label], abs=1e-12)
        unlisted = model.kind.endswith("unlisted") or model.kind in ("deep", "scaled")
        assert bool(model.left_out) == (unlisted or model.kind == "labelled copy")
        faulty = model.kind == "silent and unlisted" or not unlisted
        healthy = not faulty or model.kind in ("as it should be", "tiny", "a weight of 0")
        assert bool(model.unreached) != healthy
    assert any(0 < abs(slope) < 1e-6 for model in models for slope in model.slopes.values()), models


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("p.grad = 0.0", "p.grad = 1.0", "`p.grad = 1.0` → `p.grad = 0.0`. (Still to be written: `left_out`.)"),
        ("p.grad == 0", "p.grad == 1", "nothing in `unreached`."),
    ],
)
def test_first_function_is_checked_while_the_second_is_a_stub(old, new, said):
    first, second = (
        text.split("def left_out") for text in (library.solution("reach_all").code, library.stub("reach_all"))
    )
    texts = [f"{first[0].replace(old, new)}def left_out{rest}" for rest in (first[1], second[1])]
    written, stub = (check.reach_all.judge(*check.reach_all.answers(text)).render_text() for text in texts)
    assert said in stub and said.partition(" (Still")[0] in written and "Still" not in written


def test_drawn_graph_has_the_numbers_of_the_displayed_call():
    """Later tests set other parameters."""
    code = library.solution("neuron").code.replace("total = self.bias", "total = 0")
    verdict = check.neuron(*check.neuron.answers(code))
    weights = [float(w) for w in re.search(r"its weights: ([-\d., ]+); bias", verdict.case)[1].split(", ")]
    leaves = [node.data for node in topological_order(verdict.graph) if not node._prev]
    assert set(weights) <= set(leaves), (weights, leaves)
