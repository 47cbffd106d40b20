"""`examine`: the instruments on a learner's own programs and models, which stay unchanged."""

import functools
import re
import sys
import types

import numpy as np
import pytest

from autograd import SGD
from autograd.lessons.digits import load_digits
from autograd.tensor import Tensor
from exercises import examine
from exercises.clinic.instruments import INSTRUMENTS
from exercises.clinic.patients import faults
from exercises.clinic.program import read_program
from exercises.engine_file.trial import template_engine

FAST = {"EPOCHS": 6, "HIDDEN": 16}


def signs(overview):
    return {row.title: row.sign for row in overview.rows}


def test_healthy_program_passes_examine():
    """An object gives it nothing but a setting."""
    healthy = examine(types.SimpleNamespace(EPOCHS=10))
    assert repr(healthy).startswith("All 21 readings are those of a healthy program.")
    assert set(signs(healthy).values()) == {"✓"} and list(healthy.readings) == [*INSTRUMENTS]
    assert healthy._repr_mimebundle_()["text/html"].count("<tr>") == 13


@pytest.mark.parametrize("key", ["no_zero", "wrong_sign", "detached"])
def test_clinic_fault_is_found_in_a_learners_program(key):
    """Its function is in a separate notebook, and finds what it lacks among the parts."""
    fault, notebook = faults()[key], {"np": np, "Tensor": Tensor}
    exec(fault.code, notebook)
    found = examine({fault.part: notebook[fault.part], **fault.settings})
    assert f"These readings point to: {fault.cause}." in repr(found) and "could not be read" not in repr(found)
    assert set(notebook) >= {"np", "Tensor", fault.part} and "layer" not in notebook and "SGD" not in notebook


def test_part_may_be_any_callable():
    class Zero:
        def __call__(self, layers, optimizer):
            optimizer.zero_grad()

    def mine(sign, layers, optimizer):
        for p in optimizer.parameters:
            p.data = p.data - sign * optimizer.lr * p.grad

    found = examine({"zero": Zero(), "update": functools.partial(mine, -1), **FAST})
    assert found.readings["small_step"].numbers["ratio"] == pytest.approx(-1, abs=0.02)
    assert signs(found)["Kept : fresh"] == "✓" and signs(found)["One small step"] == "✗"
    assert "ratio: -1; healthy: 1" in repr(found) and "<b>ratio: -1</b>, not “1”" in found.html()


def test_module_supplies_settings_helpers_and_its_own_engine():
    """A whole program as a learner's file, on an engine of closures; its globals may change."""
    mine, module = template_engine(), types.ModuleType("mine")
    vars(module).update(np=np, SGD=SGD, Tensor=mine.Tensor, calls=[], load_digits=load_digits)
    module.cross_entropy = lambda scores, labels: module.calls.append(1) or mine.softmax_cross_entropy(scores, labels)
    module.layer = lambda rng, inputs, units: [
        mine.Tensor(rng.standard_normal((inputs, units)) * (2 / inputs) ** 0.5),
        mine.Tensor(np.zeros(units)),
    ]
    exec(read_program("digits"), vars(module))
    module.HIDDEN, module.EPOCHS = 20, 6
    found = examine(module)
    assert "could not be read" not in repr(found), found
    assert found.readings["units"].numbers["of"] == 20 and len(found.readings["curve"].numbers["epochs"]) == 6
    assert module.calls and signs(found)["Gradient check"] == signs(found)["Graph of one loss"] == "✓"


def test_notebook_setting_applies_to_all_parts():
    notebook = {"HIDDEN": 11, "np": np}
    exec("def measure(layers, x, labels):\n    return HIDDEN / 11", notebook)
    found = examine({"measure": notebook["measure"], "EPOCHS": 2})
    assert found.readings["units"].numbers["of"] == 11 and found.readings["curve"].numbers["train"] == 1.0


def test_classes_are_taken_from_the_data():

    def data(share=1):
        x = np.random.RandomState(0).standard_normal((120, 64))
        y = ((x[:, 0] > 0) + (x[:, 1] > 0) * 1) * share
        return x[:100], y[:100], x[100:], y[100:]

    found = examine({"data": data, **FAST})
    assert found.readings["curve"].numbers["guess"] == pytest.approx(np.log(3))
    mine = {
        "data": functools.partial(data, 0.5),
        "loss": lambda layers, x, y: ((scores(layers, x)[:, 0] - y) ** 2).mean(),  # noqa: F821  a part
        "measure": lambda layers, x, y: 0.5,
    }
    found = examine({**mine, "LR": 0.02, **FAST})
    assert found.readings["curve"].numbers["guess"] is None and found.readings["sheet"].numbers["same"] is None
    assert "could not be read" not in repr(found)


def unwritten(*given):
    raise NotImplementedError


# The faults of the list under other settings: milder, and worse.
OTHERS = [
    *(("tiny_rate", {"LR": 0.5 / times}) for times in (10, 100, 5000)),
    ("exploding", {"HIDDEN": 20, "LR": 0.1}),
    ("vanishing", {"LR": 0.015}),
    ("no_zero", {"LR": 0.1}),
    ("wrong_axis", {"HIDDEN": 20, "LR": 1.0}),
    ("sum_for_mean", {"LR": 0.15}),
]


@pytest.mark.long
@pytest.mark.parametrize("key, settings", OTHERS, ids=lambda given: str(given))
def test_listed_cause_is_among_three_under_other_settings(key, settings):
    """And none is reported as missing. A rate alone is a setting; other faults are functions."""
    fault, notebook = faults()[key], {"np": np, "Tensor": Tensor, "SGD": SGD}
    exec(fault.code, notebook)
    part = {} if key == "tiny_rate" else {fault.part: notebook[fault.part]}
    said = " ".join(examine({**part, **fault.settings, **settings}).sums)
    named = re.split("(?:point to|closest): ", said.rstrip("."), maxsplit=1)[1]
    assert fault.cause in named and named.count(";") <= 2 and "None of" not in said


def test_rule_off_by_a_fifth_is_named():
    def scores(layers, x):
        (w, b), (last, c) = layers
        h = Tensor(x) @ w + b
        gate = Tensor(np.maximum(h.data, 0), (h,), "gate", "", (lambda up: 0.8 * up * (h.data > 0),))
        return gate @ last + c

    assert "the engine has a wrong rule" in " ".join(examine({"scores": scores}).sums)


@pytest.mark.parametrize(
    "share, sign, word", [(1, "✓", "usual"), (1 / 100, "✗", "hardly"), (0.16 / 0.073, "~", "far"), (20, "✗", "too far")]
)
def test_usual_step_size_is_the_band_of_lesson_12(share, sign, word):
    found = examine({"LR": 0.5 * share, "EPOCHS": 1})
    row = next(row for row in found.rows if row.title == "Step : weights")
    largest = max(found.readings["moved"].numbers["shares"])
    assert (row.sign, row.dials[0][1]) == (sign, word)
    assert (1e-3 <= largest <= 0.1) is (word == "usual")


def test_random_loss_is_reported_and_comparisons_are_skipped():
    rng = np.random.RandomState(0)

    def scores(layers, x):
        (w, b), (last, c) = layers
        h = (Tensor(x) @ w + b).relu()
        return (h * ((rng.random_sample(h.shape) > 0.2) / 0.8)) @ last + c

    found = examine({"scores": scores})
    assert "The loss is random: the same rows give 2." in found.sums[1] and "3 of 12 instruments" in found.sums[1]
    assert [signs(found)[title] for title in ("One small step", "Kept : fresh", "Gradient check")] == ["–"] * 3
    assert "✗" not in signs(found).values()


def test_failing_instrument_gives_a_reason_and_others_continue():
    found = examine({"scores": lambda layers, x: 1 / 0, **FAST})
    assert "ZeroDivisionError" in repr(found) and "could not be read" in repr(found)
    assert "closest" not in repr(found)
    found = examine({"measure": unwritten, **FAST})
    assert signs(found)["Loss curve"] == "✗" and "A part is not written yet." in repr(found)
    assert "2 of 12 instruments could not be read." in repr(found) and signs(found)["Kept : fresh"] == "✓"


def endless():
    while True:
        pass


def test_endless_part_is_stopped_with_the_right_time(monkeypatch):
    for module in ("examine", "overview"):
        monkeypatch.setattr(sys.modules.get(f"exercises.clinic.{module}"), "SECONDS", 0.2)
    found = examine({"data": endless})
    assert "It had not finished after 0.2 seconds of work" in repr(found)


def test_engine_needs_both_names_and_torch_models_need_pytorch(monkeypatch):
    assert signs(examine(FAST, engine=template_engine()))["Gradient check"] == "✓"
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="needs PyTorch, which is not installed here"):
        examine(object(), [1], max)
