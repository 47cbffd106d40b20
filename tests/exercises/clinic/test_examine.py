"""`examine`: the instruments on programs and models of a learner's own, which are left as they were."""

import functools
import sys
import types

import numpy as np
import pytest

from autograd import SGD
from autograd.lessons.digits import load_digits
from autograd.tensor import Tensor
from exercises import course_engine, examine
from exercises.clinic.instruments import INSTRUMENTS
from exercises.clinic.patients import faults
from exercises.clinic.program import text

FAST = {"EPOCHS": 6, "HIDDEN": 16}


def signs(overview):
    """{title: ✓, ✗ or –} of an Overview's rows."""
    return {row.title: row.sign for row in overview.rows}


def test_nothing_is_wrong_with_a_healthy_program():
    """To which an object gives nothing but a setting."""
    healthy = examine(types.SimpleNamespace(EPOCHS=10))
    assert repr(healthy).startswith("All 21 dials read as on a healthy program.")
    assert set(signs(healthy).values()) == {"✓"} and list(healthy.readings) == [*INSTRUMENTS]
    assert healthy._repr_mimebundle_()["text/html"].count("<tr>") == 12


@pytest.mark.parametrize("key", ["no_zero", "wrong_sign", "detached"])
def test_a_fault_of_the_clinic_is_found_in_a_program_of_ones_own(key):
    """Its function stands in a notebook of its own, and what it lacks it finds among the parts."""
    fault, notebook = faults()[key], {"np": np, "Tensor": Tensor}
    exec(fault.code, notebook)
    found = examine({fault.part: notebook[fault.part], **fault.settings})
    assert f"this is read with: {fault.cause}." in repr(found) and "could not be read" not in repr(found)
    assert set(notebook) >= {"np", "Tensor", fault.part} and "layer" not in notebook and "SGD" not in notebook


def test_a_part_may_be_any_callable():
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


def test_a_module_brings_its_settings_helpers_and_its_own_engine():
    """A whole program as a file of a learner's, on an engine of closures; its globals may change."""
    mine, module = course_engine(), types.ModuleType("mine")
    vars(module).update(np=np, SGD=SGD, Tensor=mine.Tensor, calls=[], load_digits=load_digits)
    module.cross_entropy = lambda scores, labels: module.calls.append(1) or mine.softmax_cross_entropy(scores, labels)
    module.layer = lambda rng, inputs, units: [
        mine.Tensor(rng.standard_normal((inputs, units)) * (2 / inputs) ** 0.5),
        mine.Tensor(np.zeros(units)),
    ]
    exec(text("digits"), vars(module))
    module.HIDDEN, module.EPOCHS = 20, 6
    found = examine(module)
    assert "could not be read" not in repr(found), found
    assert found.readings["units"].numbers["of"] == 20 and len(found.readings["curve"].numbers["epochs"]) == 6
    assert module.calls and signs(found)["Gradient check"] == signs(found)["Graph of one loss"] == "✓"


def test_a_setting_of_the_notebook_is_that_of_all_parts():
    notebook = {"HIDDEN": 11, "np": np}
    exec("def measure(layers, x, labels):\n    return HIDDEN / 11", notebook)
    found = examine({"measure": notebook["measure"], "EPOCHS": 2})
    assert found.readings["units"].numbers["of"] == 11 and found.readings["curve"].numbers["train"] == 1.0


def test_the_classes_are_those_of_the_data():
    """Where targets are no whole numbers there are none."""

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
    """A stub."""
    raise NotImplementedError


@pytest.mark.parametrize(
    "parts, said",
    [
        ({"make": lambda rng: 3}, "cannot unpack"),
        ({"make": lambda rng: ([], SGD([], 0.1))}, "each [weights, biases]"),
        ({"make": lambda rng: ([Tensor(np.ones((64, 10)))], None)}, "each [weights, biases]"),
        ({"data": unwritten}, "They are not written yet."),
        ({"data": lambda: 1 / 0}, "ZeroDivisionError"),
        ({"data": lambda: input("rows?")}, "It asks for input"),
    ],
)
def test_a_program_that_cannot_begin_says_why_once(parts, said):
    found = examine(parts)
    assert "The program cannot begin" in repr(found) and said in repr(found) and len(found.rows) == 1


def test_an_instrument_that_cannot_read_says_why_and_the_others_go_on():
    found = examine({"scores": lambda layers, x: 1 / 0, **FAST})
    assert "ZeroDivisionError" in repr(found) and "could not be read" in repr(found)
    assert "None of the clinic's causes" not in repr(found)
    found = examine({"measure": unwritten, **FAST})
    assert signs(found)["Loss curve"] == "✗" and "A part is not written yet." in repr(found)
    assert "1 of 11 instruments could not be read." in repr(found) and signs(found)["Kept : fresh"] == "✓"


def endless():
    """A loop without an end."""
    while True:
        pass


def test_what_never_ends_is_stopped_and_the_time_said_is_true(monkeypatch):
    for module in ("examine", "overview"):
        monkeypatch.setattr(sys.modules.get(f"exercises.clinic.{module}"), "SECONDS", 0.2)
    found = examine({"data": endless})
    assert "It had not ended after 0.2 seconds of work" in repr(found)


@pytest.mark.parametrize(
    "parts, kind, said",
    [
        *((odd, ValueError, "no part of a program") for odd in ({}, 3, None)),
        ({"los": max}, ValueError, "no part 'los'"),
        ({3: max}, ValueError, "no part 3"),
        ({"loss": 3}, TypeError, "loss is a part of a program, so a function; got int"),
        *(({"LR": odd}, TypeError, "LR is a setting") for odd in ("large", float("nan"))),
        ({"EPOCHS": True}, TypeError, "EPOCHS is a setting"),
    ],
)
def test_what_is_no_program_is_a_sentence(parts, kind, said):
    with pytest.raises(kind, match=said):
        examine(parts)


def test_an_engine_is_a_module_with_both_names_and_without_pytorch_a_sentence_says_so(monkeypatch):
    with pytest.raises(TypeError, match="softmax_cross_entropy; int has not both"):
        examine({"EPOCHS": 1}, engine=3)
    assert signs(examine(FAST, engine=course_engine()))["Gradient check"] == "✓"
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="needs PyTorch, which is not installed here"):
        examine(object(), [1], max)


@pytest.fixture
def few(monkeypatch):
    """A hundred steps by heart, not a thousand."""
    monkeypatch.setattr("exercises.clinic.examine_torch.BY_HEART", 100)


@pytest.fixture
def rows(torch):
    """Batches of 32 rows of four numbers, of three classes."""
    torch.manual_seed(0)
    x = torch.randn(128, 4)
    return [(x[i : i + 32], (x[i : i + 32, 0] > 0).long() + (x[i : i + 32, 1] > 0).long()) for i in range(0, 128, 32)]


@pytest.fixture
def model(torch):
    """A model with all that could change: dropout, running means, a parameter that cannot learn."""
    nn = torch.nn
    made = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Dropout(0.1), nn.Linear(16, 3))
    made.register_parameter("scale", nn.Parameter(torch.ones(2), requires_grad=False))
    return made


def test_a_healthy_model_reads_so_with_any_optimizer(torch, model, rows):
    for make in (None, torch.optim.SGD, torch.optim.LBFGS):
        optimizer = make and make([p for p in model.parameters() if p.requires_grad], lr=0.1)
        found = examine(model, rows, torch.nn.CrossEntropyLoss(), optimizer)
        assert "✗" not in repr(found), found
        assert ("– Kept : fresh" in repr(found)) is (make is None)
        assert "6 of 6. 1 more cannot learn" in repr(found) and found.html().count("<tr>") == 6


def test_the_numbers_are_those_of_pytorch(torch, rows, few):
    model = torch.nn.Linear(4, 3).double()
    x, y = rows[0][0].double(), rows[0][1]
    torch.nn.functional.cross_entropy(model(x), y).backward()
    size = model.weight.grad.pow(2).mean().sqrt().item()
    model.zero_grad()
    found = examine(model, [(x, y)], torch.nn.functional.cross_entropy)
    assert f"Sizes, first layer to last: {size:.3g}." in repr(found) and model.weight.grad is None


def test_faults_of_a_model_are_read(torch, rows, few):
    nn, loss, sgd = torch.nn, torch.nn.functional.cross_entropy, functools.partial(torch.optim.SGD, lr=0.1)
    whole, other = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3)), nn.Linear(4, 3)

    class Cut(nn.Sequential):
        def forward(self, x):
            return self[1](self[0](x).detach())

    cut = Cut(nn.Linear(4, 16), nn.Linear(16, 3))
    deep = nn.Sequential(*(layer for _ in range(10) for layer in (nn.Linear(4, 4), nn.Sigmoid())), nn.Linear(4, 3))
    step, heart, reached = "One small step", "Eight by heart", "Parameters reached"
    for model, loss_fn, optimizer, dials, said in [
        (
            *(whole, loss, sgd(whole[2].parameters()), {step: "between 0 and 1", "Kept : fresh": "not 1"}),
            "The optimizer has not 2 of 4 parameters.",
        ),
        (whole, loss, sgd(whole.parameters(), maximize=True), {step: "-1", heart: "lost"}, ""),
        (whole, loss, sgd(other.parameters()), {step: "0", heart: "stuck"}, ""),
        (
            *(cut, loss, None, {reached: "some", "Gradients": "not in all layers"}),
            "Not reached: 0.weight, 0.bias.",
        ),
        (whole, lambda scores, y: loss(scores.softmax(dim=1), y), None, {heart: "stuck"}, ""),
        (whole, lambda scores, y: loss(scores.detach(), y), None, {reached: "none", step: "no gradient"}, ""),
        (deep, loss, None, {"Gradients": "fading"}, ""),
    ]:
        found = examine(model, rows, loss_fn, optimizer)
        assert {row.title: row.dials[0][1] for row in found.rows if row.title in dials} == dials
        assert said in repr(found)


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_everything_is_left_as_it_was(torch, model, rows, name):
    kwargs = {"momentum": 0.9} if name == "SGD" else {}
    optimizer = getattr(torch.optim, name)([p for p in model.parameters() if p.requires_grad], lr=0.03, **kwargs)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for x, y in rows:
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    scheduler.step()
    model[3].eval()

    def state():
        numbers = [*model.state_dict().values(), *(p.grad for p in model.parameters() if p.grad is not None)]
        kept = [value for held in optimizer.state.values() for value in held.values()]
        return [torch.as_tensor(each).clone() for each in (*numbers, *kept, torch.get_rng_state())]

    def rest():
        groups = [{k: v for k, v in group.items() if k != "params"} for group in optimizer.param_groups]
        places = [id(p.grad) for p in model.parameters()]
        return groups, places, [module.training for module in model.modules()], scheduler.state_dict()

    numbers, others = state(), rest()
    found = examine(model, rows, torch.nn.CrossEntropyLoss(), optimizer)
    assert "✗" not in repr(found)
    assert all(map(torch.equal, numbers, state())) and others == rest()
    examine(model, rows, lambda scores, y: 1 / 0, optimizer)
    assert all(map(torch.equal, numbers, state())) and others == rest()


def test_a_model_that_cannot_run_says_so(torch, model, rows):
    found = examine(model, [(torch.ones(3, 5), torch.zeros(3).long())], torch.nn.CrossEntropyLoss())
    assert "It raised RuntimeError" in repr(found) and "4 of 4 instruments" in repr(found)
    found = examine(model, rows, lambda scores, y: scores)
    assert "the loss is one number" in repr(found)


def test_wrong_kinds_are_sentences(torch, model, rows):
    loss = torch.nn.CrossEntropyLoss()
    for given, kind, said in [
        ((model,), TypeError, "loss_fn is a function"),
        ((model, rows), TypeError, "loss_fn is a function"),
        ((model, None, loss), TypeError, "loader gives batches"),
        ((model, 3, loss), TypeError, "loader gives batches"),
        ((model, iter(rows), loss), TypeError, "can be read only once"),
        ((model, [], loss), TypeError, "batches .x, y. of two tensors"),
        ((model, [3], loss), TypeError, "batches .x, y. of two tensors"),
        ((model, rows, loss, "SGD"), TypeError, "one of torch.optim"),
        ((3, rows, loss), TypeError, "model is a torch.nn.Module"),
        ((torch.nn.Tanh(), rows, loss), ValueError, "no parameters"),
        ((torch.nn.LazyLinear(3), rows, loss), ValueError, "lazy parameters"),
    ]:
        with pytest.raises(kind, match=said):
            examine(*given)
