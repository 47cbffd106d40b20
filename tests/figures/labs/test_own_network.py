"""Learners' own networks, on their own Values: the XOR lab trains them."""

import random

import numpy as np
import pytest

from autograd import MLP
from autograd.errors.messages import show
from figures import xor
from figures.labs.xor import OWN_WIDEST_TEXT, opening
from figures.training.own import OwnTraining, side
from figures.training.run import Training
from figures.training.settings import checked
from figures.training.surface import GRID, PIXELS, middles
from tests import pictures
from tests.approve import approved
from tests.engines import CLOSURES
from tests.figures.labs.test_labs import assert_shown
from tests.labs import ask, message, message_after, run
from tests.learners_networks import ENGINES, LINEAR, ONE, PARAMETERS, SIGMOID, UNREAD, WAYS, mine, network


def steps(count, *labs):
    """The marks of each lab after so many presses of Step."""
    for _ in range(count):
        found = [ask(lab, "step") for lab in labs]
    return found


def beside(*swaps):
    """A learner's lab, the library's, and their marks after three presses of Step."""
    labs = xor(3, seed=5, network=network(*swaps)), xor(3, seed=5)
    return (*labs, *steps(3, *labs))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("hidden", [[], 4, [4, 4]])
@pytest.mark.parametrize("loss", ["sum_of_squares", "mean_squares", "half_squares"])
def test_learners_network_trains_like_mlp(engine, hidden, loss):
    lab = xor(hidden, seed=3, loss=loss, network=network(engine=ENGINES[engine]))
    other = Training(checked(hidden, "tanh", "tanh", "uniform", 3, loss, 0.1))
    for _ in range(20):
        assert lab.training.step() == pytest.approx(other.step(), abs=1e-9)
        lab.training.measure_state()
        other.measure_state()
        assert lab.training.outputs == pytest.approx(other.outputs, abs=1e-9)
    found, expected = ([(p.data, p.grad) for p in net.parameters()] for net in (lab.training.net, other.mlp))
    assert np.array(found) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("way", WAYS)
def test_equivalent_network_classes_train_and_are_drawn(way):
    lab, _, updates, expected = beside(*WAYS[way])
    assert message(lab) == "" and lab.training.tanh and not lab.training.why
    alike = [key for key in expected if key.startswith(("map", "row.", "net.", "hist.", "curve"))]
    assert [key for key in alike if updates[key] != expected[key]] == []


@pytest.mark.parametrize("way", UNREAD)
def test_unreadable_class_trains_and_explains_the_missing_drawing(way):
    swaps, why = UNREAD[way]
    lab, other, updates, expected = beside(*swaps)
    assert message(lab) == "" and lab.training.total == pytest.approx(other.training.total, abs=1e-12)
    text = " ".join("".join(pictures.tree(lab.spec["stage"]).itertext()).split())
    assert why in lab.training.why and "There is no drawing of your network." in text and "parameters: 13" in text
    assert_shown(lab)
    assert updates["row.1"] == expected["row.1"]
    grads = [abs(p.grad) for p in lab.training.net.parameters()]
    assert updates["hist.0.mean"]["text"] == f"mean {show(sum(grads) / len(grads))}"
    assert updates["map.head"]["text"].startswith("Output at ") and lab.training.side in (2, 4, 7, 8, 14, 28)


def test_learners_network_without_zero_grad_and_by_sample():
    labs = [xor(by="sample", zero_grad=False, **more) for more in ({"network": network()}, {})]
    updates, expected = steps(6, *labs)
    for key in ("row.0", "row.3", "curve", "curve.loss", "net.e1.0.0.t"):
        assert updates[key] == expected[key]
    updates, expected = (ask(lab, "step", zero_grad=True, lr=0.4) for lab in labs)
    assert (
        updates["row.0"] == expected["row.0"] and labs[0].recording.frames[-1].say == labs[1].recording.frames[-1].say
    )


def test_global_random_state_is_preserved():
    def broken(n_inputs, sizes):
        random.random()
        raise RuntimeError("not yet")

    random.seed(99)
    expected = [random.random() for _ in range(2)]
    random.seed(99)
    lab = xor(network=network())
    assert random.random() == expected[0]
    ask(lab, "reset", seed=4)
    xor(network=broken)
    assert random.random() == expected[1]


def test_lab_names_the_learners_network_and_disables_its_settings():
    lab = xor([8, 8], seed=99, network=network())
    assert lab.spec["title"] == "Training on XOR: your own MLP"
    assert 'alt="Your own 2-8-8-1 network that is trained on XOR' in lab.html() and lab.spec["room"] == OWN_WIDEST_TEXT
    assert lab.recording.frames[-1].say.startswith(
        "Your MLP(2, [8, 8, 1]): 105 parameters, from seed 99. It is not trained yet."
    )
    found = {control["name"]: control for control in lab.spec["controls"]}
    decided = {"activation": "always tanh", "output": "always tanh", "init": "always -1 to 1"}
    for name, always in decided.items():
        assert found[name]["label"] == f"{name}: {always}" and lab.patch["controls"][name] == {"disabled": True}
    assert "is up to your class: leave it out." in message_after(lab, activation="relu")
    assert "is up to your class" in message_after(lab, "symmetric")
    assert message_after(lab, "step") == "" and lab.training.steps == 1


def test_non_tanh_network_gets_a_coarse_map():
    lab, other = xor(3, seed=5, network=network(SIGMOID)), xor(3, "sigmoid", "sigmoid", seed=5)
    updates, expected = steps(2, lab, other)
    assert not lab.training.tanh and lab.spec["controls"][7]["label"] == "activation: your own"
    assert "Its activations and its first weights are those of your classes." in opening(lab.training)
    for key in ("row.0", "net.n1.0.v", "net.n2.0.v", "hist.1.mean"):
        assert updates[key] == expected[key], "activations come from the layers themselves"
    count, (outputs, head) = lab.training.side, lab.training.surface()
    assert head == updates["map.head"]["text"] == f"Output at {count} × {count} points"
    xs = middles(count)
    for row, x2 in ((0, xs[-1]), (PIXELS - 1, xs[0])):
        for column, x1 in ((0, xs[0]), (PIXELS - 1, xs[-1])):
            assert outputs[row, column] == pytest.approx(lab.training.net([x1, x2]).data)


def test_map_matches_the_network_and_falls_back_when_arrays_differ():
    names = mine()
    lab = xor([4, 4], network=names["MLP"])
    steps(30, lab)
    outputs, head = lab.training.surface()
    assert head == "Output everywhere"
    for i in random.Random(0).sample(range(PIXELS**2), 40):
        assert outputs.ravel()[i] == pytest.approx(lab.training.net(GRID[i].tolist()).data, abs=1e-12)
    names["Value"].tanh = names["Value"].relu
    lab.training.measure_state()
    assert lab.training.surface()[1].startswith("Output at ")
    slow = {1e-6: 28, 1e-4: 14, 3e-4: 8, 1e-3: 4, 1.0: 2}  # seconds of a call, and points
    assert {seconds: side(seconds) for seconds in slow} == slow


# Failures


PASS = "        self.grad = 1.0\n"
RULE = "self.grad += local * out.grad"
IN_A_STEP = {  # what is wrong, and is met in the first step
    "backward raises": [("reversed(topological_order(self))", "reversed(self.order)")],
    "backward divides by zero": [(PASS, "        self.grad = 1.0 / 0\n")],
    "backward is not yet written": [(PASS, "        raise NotImplementedError\n")],
    "a rule raises": [(RULE, 'raise LookupError("no rule")')],
    "no backward": [("def backward(self):", "def back(self):")],
    "a grad is None": [(RULE, "pass"), ("self.grad += other.data * out.grad", "self.grad = None")],
}
AT_ONCE = {  # what is wrong from the start
    "the class cannot be made": [("def __init__(self, n_inputs, sizes):", "def __init__(self, sizes):")],
    "a forward pass raises": [("total = total + w * x", "total = total + w @ x")],
    "a ValueError is the learner's too": [("y = math.tanh(self.data)", 'raise ValueError("no tanh")')],
    "a call gives nothing": [(f"return {ONE}", "pass")],
    "a call gives a number": [(f"return {ONE}", "return inputs[0].data")],
    "a call gives many": [(f"return {ONE}", "return inputs * 2")],
    "no parameters()": [(f"def parameters(self):\n        return {PARAMETERS}", "")],
    "parameters() gives nothing": [(f"return {PARAMETERS}", "pass")],
    "parameters() gives an empty list": [(PARAMETERS, "[]")],
    "parameters() gives numbers": [(PARAMETERS, "[1.0]")],
    "no power": [("def __pow__", "def power")],
    "a loss that is no number": [("return self.one_input(self.data**n,", "return Value('large') if n == 2 else (")],
    "a loss that is no Value": [("return self.one_input(self.data**n,", "return self.data**n if n == 2 else (")],
}


def test_messages_for_each_fault():
    said = []
    for name, swaps in (IN_A_STEP | AT_ONCE).items():
        lab = xor(network=network(*swaps))
        if name in IN_A_STEP:
            assert message(lab) == "" and lab.training.total > 0, "until a step is taken nothing is wrong"
            ask(lab, "step")
        assert len(message(lab)) <= len(OWN_WIDEST_TEXT)
        said.append(f"{name}: {message(lab)}")
    approved("own_network", "\n".join(said))
    line = next(i for i, text in enumerate(CLOSURES.splitlines(), start=1) if text == PASS.rstrip())
    assert f" in Value.backward, line {line}: float division by zero. The run has stopped" in said[1]


@pytest.mark.parametrize("what", IN_A_STEP)
def test_exception_in_a_step_ends_the_run(what):
    lab = xor(network=network(*IN_A_STEP[what]))
    before = lab.recording.frames[-1].updates["curve.loss"]
    updates = ask(lab, "step")
    assert updates["curve.loss"] == before and lab.recording.frames[-1].at == "epoch 0 of 1000 · step 0"
    assert lab.patch["controls"]["play"] == {"label": "Play", "disabled": True} and message(lab) in lab.render_text()
    ask(lab, "step", "play", "row.2")
    assert lab.training.steps == 0 and not lab.runner.running
    assert message_after(lab, "reset") == "" and lab.patch["controls"]["step"] == {"disabled": False}


@pytest.mark.parametrize("what", AT_ONCE)
def test_initial_fault_is_reported_in_a_complete_lab(what):
    lab = xor(network=network(*AT_ONCE[what]))
    said = message(lab)
    assert lab.recording.frames[-1].say == said, "also where no kernel answers"
    assert_shown(lab)
    assert lab.patch["controls"]["step"] == {"disabled": True}
    for presses, changed in ((("step",), {}), (("play",), {}), (("row.2",), {"hidden1": 2}), (("reset",), {"seed": 4})):
        assert message_after(lab, *presses, **changed) == said and not lab.runner.running
    if lab.training.outputs[0] is None:
        assert lab.recording.frames[-1].updates["row.0"]["aria-label"] == "0, 0 → 0 – –"


def test_fault_while_playing_stops_the_run_and_keeps_the_display():
    names = mine()
    lab, other, right = xor(network=names["MLP"], epochs=500, speed="full speed"), xor(), names["Value"].backward

    def backward(self):
        if lab.training.epochs == 7:
            raise KeyError("seven")
        right(self)

    names["Value"].backward = backward
    run(lab)
    frame = lab.recording.frames[-1]
    assert message(lab).startswith("Your code raised KeyError in ") and "'seven'" in message(lab)
    assert frame.at == "epoch 7 of 500 · step 7" and frame.updates["row.2"] == steps(7, other)[0]["row.2"]


def test_infinite_loss_is_reported_as_divergence():
    lab = xor([8, 8], lr=9.0, network=network(LINEAR))
    steps(40, lab)
    assert message(lab).startswith(("The run diverged: the loss is ", "Your code raised OverflowError in Value."))


MINE = network()
REFUSED = {  # arguments of xor, and the error and the sentence that they get
    "a number": ({"network": 3}, TypeError, "network takes the class of your network, .* got an int."),
    "a text": ({"network": "MLP"}, TypeError, "got the str 'MLP'"),
    "a network": (
        {"network": MLP(2, [4, 1])},
        TypeError,
        r"got an MLP\. Write its name without parentheses: network=MLP\.",
    ),
    "an activation": ({"network": MINE, "activation": "relu"}, ValueError, "activation is up to your class"),
    "an init": ({"network": MINE, "init": "he"}, ValueError, "init is up to your class"),
    "a loss": ({"network": MINE, "loss": "hinge"}, ValueError, "the loss of your own network is one of sum_of"),
}


@pytest.mark.parametrize(("given", "fault", "sentence"), REFUSED.values(), ids=REFUSED)
def test_wrong_arguments_get_a_message(given, fault, sentence):
    with pytest.raises(fault, match=sentence):
        xor(**given)


def test_library_mlp_gives_the_standard_lab_and_functions_work():
    lab = xor(network=MLP)
    assert not isinstance(lab.training, OwnTraining) and lab.spec["title"] == "Training on XOR"
    lab = xor(network=lambda n_inputs, sizes: MINE(n_inputs, sizes))
    ask(lab, "step")
    assert message(lab) == "" and lab.spec["title"] == "Training on XOR: your own <lambda>"
    assert "<lambda>" not in lab.html().split("<script", 1)[0]
