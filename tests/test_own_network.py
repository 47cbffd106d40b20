"""Networks of learners' own, on Values of their own: the XOR lab trains them, pictures and maps show them."""

import asyncio
import json
import math
import random
import re
from pathlib import Path

import numpy as np
import pytest

from autograd import MLP, losses
from autograd.messages import show
from exercises.shelf import library
from figures import decision_map, draw_network, gradient_histogram, layer_gradients, xor
from figures.graph.network import is_tanh, neurons_of, on_arrays
from figures.labs.xor import OWN_ROOM, opening
from figures.training.own import Own, side
from figures.training.run import Training
from figures.training.settings import ROWS, checked
from figures.training.surface import GRID, PIXELS, middles
from tests import one_class, pictures

LOCALS = '''
class Value:
    """A number that keeps its local derivatives, and passes gradients on in one place."""

    __slots__ = ("data", "grad", "inputs", "locals")

    def __init__(self, data, inputs=(), locals=()):
        self.data, self.grad, self.inputs, self.locals = data, 0, inputs, locals

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1, 1))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __sub__(self, other):
        return self + other * -1

    def __pow__(self, n):
        return Value(self.data**n, (self,), (n * self.data ** (n - 1),))

    def tanh(self):
        y = math.tanh(self.data)
        return Value(y, (self,), (1 - y * y,))

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                for input in node.inputs:
                    visit(input)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            for input, local in zip(node.inputs, node.locals):
                input.grad += local * node.grad
'''

CLOSURES = Path(one_class.__file__).read_text(encoding="utf-8")
SLOTS = CLOSURES.replace(
    '    def __init__(self, data, _prev=(), _op="", label=""):',
    '    __slots__ = ("data", "grad", "label", "_prev", "_op", "_backward")\n\n'
    '    def __init__(self, data, _prev=(), _op="", label=""):',
)
ENGINES = {"closures": CLOSURES, "slots": SLOTS, "locals": LOCALS}

# Changes to the solutions' classes, each a way in which somebody may have written them.
WAYS = {
    "as the solutions": [],
    "weights in a tuple": [
        ("[Value(random.uniform(-1, 1)) for _ in range(n_inputs)]",
         "tuple(Value(random.uniform(-1, 1)) for _ in range(n_inputs))"),
    ],
    "a list of one": [("inputs[0] if len(inputs) == 1 else inputs", "inputs")],
    "a layer of one gives a Value": [
        ("return [neuron(inputs) for neuron in self.neurons]",
         "outputs = [neuron(inputs) for neuron in self.neurons]\n"
         "        return outputs[0] if len(outputs) == 1 else outputs"),
        ("return inputs[0] if len(inputs) == 1 else inputs", "return inputs"),
    ],
    "parameters as a generator": [
        ("return [p for layer in self.layers for p in layer.parameters()]",
         "return (p for layer in self.layers for p in layer.parameters())"),
    ],
    "parameters in a tuple": [("return [*self.weights, self.bias]", "return (*self.weights, self.bias)")],
    "slots": [
        ("    def __init__(self, n_inputs):",
         '    __slots__ = ("weights", "bias")\n\n    def __init__(self, n_inputs):'),
        ("    def __init__(self, n_inputs, n_outputs):",
         '    __slots__ = ("neurons",)\n\n    def __init__(self, n_inputs, n_outputs):'),
    ],
}  # fmt: skip
UNREAD = {
    "no neurons": ([("self.neurons", "self.cells")], "this one has a Layer that has no .neurons"),
    "no layers": ([("self.layers", "self.stack")], "this one has an MLP that has no .layers"),
    "no bias": ([("self.bias", "self.b")], "this one has a Neuron that has no .bias"),
    "no weights": ([("self.weights", "self.w")], "this one has a Neuron that has no .weights"),
    "weights in a dictionary": (
        [("[Value(random.uniform(-1, 1)) for _ in range(n_inputs)]",
          "{i: Value(random.uniform(-1, 1)) for i in range(n_inputs)}"),
         ("zip(self.weights, inputs)", "zip(self.weights.values(), inputs)"),
         ("[*self.weights, self.bias]", "[*self.weights.values(), self.bias]")],
        "this one has a Neuron whose .weights is no list",
    ),
}  # fmt: skip


def mine(*swaps, engine=CLOSURES):
    """The names of a learner's file: a Value, and the solutions' Neuron, Layer and MLP with some text replaced."""
    code = "\n".join(library.solution(name).code for name in ("neuron", "layer", "mlp"))
    for old, new in swaps:
        place = "engine" if old in engine and old not in code else "code"
        assert old in (engine if place == "engine" else code), old
        if place == "engine":
            engine = engine.replace(old, new)
        else:
            code = code.replace(old, new)
    names = {"math": math, "random": random, "__name__": "my_engine"}
    exec(compile(f"{engine}\n\n{code}", "my_engine.py", "exec"), names)
    return names


def ask(lab, *presses, **changed):
    """What the browser sends after a change of controls, or presses; then the lab's marks."""
    values = {name: value for name, value in {**lab.values, **changed}.items() if name in sent(lab) or name in changed}
    lab.request = {"values": values, "presses": list(presses), "number": lab.reply + 1}
    assert lab.reply == lab.request["number"]
    assert json.loads(json.dumps(lab.patch, allow_nan=False)) == lab.patch
    return lab.recording.frames[-1].marks


def sent(lab):
    """The names of the controls that have a value in the page."""
    return {control["name"] for control in lab.spec["controls"] if control["kind"] != "button"}


def message(lab):
    return lab.patch["message"]


def begins(text, sentence):
    """Whether a text begins with a sentence in which # stands for the number of a line."""
    return re.match(re.escape(sentence).replace(re.escape("#"), r"\d+"), text)


# Training


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("hidden", [[], 4, [4, 4]])
@pytest.mark.parametrize("loss", ["sum_of_squares", "mean_squares", "half_squares"])
def test_a_learners_network_learns_as_the_librarys_does(engine, hidden, loss):
    lab = xor(hidden, seed=3, loss=loss, network=mine(engine=ENGINES[engine])["MLP"])
    other = Training(checked(hidden, "tanh", "tanh", "uniform", 3, loss, 0.1))
    for epoch in range(20):
        assert lab.training.step() == pytest.approx(other.step(), abs=1e-9)
        ask(lab, "step")
        other.step()
        other.look()
        assert lab.training.total == pytest.approx(other.total, abs=1e-9)
        assert lab.training.outputs == pytest.approx(other.outputs, abs=1e-9)
        assert lab.training.epochs == 2 * epoch + 2
    mlp = other.mlp
    assert [p.data for p in lab.training.net.parameters()] == pytest.approx([p.data for p in mlp.parameters()])
    assert [p.grad for p in lab.training.net.parameters()] == pytest.approx([p.grad for p in mlp.parameters()])
    assert lab.training.net.__class__.__module__ == "my_engine"


def test_the_four_steps_of_the_loop_written_out_for_20_epochs():
    lab = xor(network=mine()["MLP"], seed=7)
    mlp = MLP(2, [4, 1], "tanh", "tanh", "uniform", rng=random.Random(7))
    for _ in range(20):
        loss = losses.sum_of_squares([mlp(row) for row in ROWS], [0, 1, 1, 0])
        mlp.zero_grad()
        loss.backward()
        for p in mlp.parameters():
            p.data -= 0.1 * p.grad
        assert lab.training.step() == pytest.approx(loss.data, abs=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_write_the_classes_train_and_are_drawn(way):
    lab, other = xor(3, seed=5, network=mine(*WAYS[way])["MLP"]), xor(3, seed=5)
    for _ in range(3):
        marks, expected = ask(lab, "step"), ask(other, "step")
    assert message(lab) == ""
    assert lab.training.tanh and not lab.training.why
    assert marks["map"] == expected["map"] and marks["map.head"]["text"] == "Output everywhere"
    for key, mark in expected.items():
        if key.startswith(("row.", "net.", "hist.", "curve")):
            assert marks[key] == mark, key


@pytest.mark.parametrize("way", UNREAD)
def test_a_class_that_cannot_be_read_trains_and_says_why_there_is_no_drawing(way):
    swaps, why = UNREAD[way]
    lab, other = xor(3, seed=5, network=mine(*swaps)["MLP"]), xor(3, seed=5)
    for _ in range(3):
        marks, expected = ask(lab, "step"), ask(other, "step")
    assert message(lab) == "" and lab.training.total == pytest.approx(other.training.total, abs=1e-12)
    assert why in lab.training.why
    text = " ".join("".join(pictures.tree(lab.spec["stage"]).itertext()).split())
    assert "There is no drawing of your network." in text and "parameters: 13" in text
    assert pictures.parts(lab.spec["stage"]).keys() == marks.keys()
    assert not [key for key in marks if key.startswith("net.")] and "hist.1" not in marks
    assert marks["row.1"] == expected["row.1"]
    grads = [abs(p.grad) for p in lab.training.net.parameters()]
    assert marks["hist.0.mean"]["text"] == f"mean {show(sum(grads) / len(grads))}"
    assert marks["map.head"]["text"].startswith("Output at ") and lab.training.side in (2, 4, 7, 8, 14, 28)
    assert (
        "Activations for 0, 1, layer by layer:" in lab.text() and "Sizes of gradients: parameters, mean" in lab.text()
    )
    pictures.tree(lab.recording.picture())


def test_without_zero_grad_and_by_sample():
    lab, other = (xor(by="sample", zero_grad=False, **more) for more in ({"network": mine()["MLP"]}, {}))
    for _ in range(6):
        marks, expected = ask(lab, "step"), ask(other, "step")
        for key in ("row.0", "row.3", "curve", "curve.loss", "net.e1.0.0.t"):
            assert marks[key] == expected[key]
    assert lab.recording.frames[-1].say == other.recording.frames[-1].say
    ask(lab, "step", zero_grad=True, lr=0.4)
    ask(other, "step", zero_grad=True, lr=0.4)
    assert lab.training.optimizer.lr == 0.4 and lab.training.steps == 7
    assert lab.training.outputs == pytest.approx(other.training.outputs, abs=1e-12)


def test_the_global_generator_goes_on_as_if_nothing_had_been_drawn():
    random.seed(99)
    expected = [random.random() for _ in range(3)]
    random.seed(99)
    first = random.random()
    lab = xor(network=mine()["MLP"])
    ask(lab, seed=4)
    ask(lab, "reset")
    assert [first, random.random(), random.random()] == expected

    def broken(n_inputs, sizes):
        random.random()
        raise RuntimeError("not yet")

    random.seed(99)
    xor(network=broken)
    assert random.random() == expected[0]


def test_the_lab_says_that_it_is_the_learners_own_network():
    lab = xor([4, 4], seed=2, network=mine()["MLP"])
    assert lab.spec["title"] == "Training on XOR: your own MLP"
    assert lab.recording.frames[-1].say.startswith(
        "Your own MLP(2, [4, 4, 1]), on your own Value: 37 parameters, from seed 2. Nothing is trained yet. Its "
        "neurons are always tanh, its first weights lie between -1 and 1. The loss is "
    )
    assert 'alt="Your own 2-4-4-1 network that is trained on XOR' in lab.html()
    assert "training on xor: your own mlp" in lab.html().lower()


def test_what_the_class_decides_is_off_and_says_so():
    lab = xor(network=mine()["MLP"])
    found = {control["name"]: control for control in lab.spec["controls"]}
    assert {name: found[name]["label"] for name in ("activation", "output", "init")} == {
        "activation": "activation: always tanh",
        "output": "output: always tanh",
        "init": "init: always -1 to 1",
    }
    for _ in range(2):
        assert {name: lab.patch["controls"][name] for name in ("activation", "output", "init")} == {
            name: {"disabled": True} for name in ("activation", "output", "init")
        }
        ask(lab, hidden1=6)
    assert "symmetric" not in found
    assert found["loss"]["options"] == ("sum_of_squares", "mean_squares", "half_squares")
    assert lab.training.settings.sizes == [2, 6, 1] and len(lab.training.optimizer.parameters) == 25
    ask(lab, activation="relu")
    assert message(lab) == "with a network of your own activation is what your class has: leave it out."
    ask(lab, "symmetric")
    assert "is what your class has" in message(lab)
    ask(lab, "step")
    assert message(lab) == "" and lab.training.steps == 1


def test_another_activation_than_tanh_is_called_for_a_coarse_map():
    lab = xor(3, seed=5, network=mine(("total.tanh()", "total.sigmoid()"))["MLP"])
    other = xor(3, "sigmoid", "sigmoid", seed=5)
    for _ in range(2):
        marks, expected = ask(lab, "step"), ask(other, "step")
    assert not lab.training.tanh and lab.spec["controls"][7]["label"] == "activation: your own"
    assert "Its activations and its first weights are what your classes make them." in opening(lab.training)
    for key in ("row.0", "net.n1.0.v", "net.n2.0.v", "hist.1.mean"):
        assert marks[key] == expected[key], "activations come from the layers themselves"
    count = lab.training.side
    outputs, head = lab.training.surface()
    assert head == marks["map.head"]["text"] == f"Output at {count} × {count} points"
    xs = middles(count)
    for row, x2 in ((0, xs[-1]), (PIXELS - 1, xs[0])):
        for column, x1 in ((0, xs[0]), (PIXELS - 1, xs[-1])):
            assert outputs[row, column] == pytest.approx(lab.training.net([x1, x2]).data)
    assert len(np.unique(outputs)) <= count**2


def test_the_map_is_that_of_the_network_itself():
    lab = xor([4, 4], network=mine()["MLP"])
    for _ in range(30):
        lab.training.step()
    lab.training.look()
    outputs = lab.training.surface()[0].ravel()
    for i in random.Random(0).sample(range(PIXELS**2), 40):
        assert outputs[i] == pytest.approx(lab.training.net(GRID[i].tolist()).data, abs=1e-12)


def test_arrays_are_left_as_soon_as_they_give_something_else():
    names = mine()
    lab = xor(network=names["MLP"])
    assert lab.training.surface()[1] == "Output everywhere"
    names["Value"].tanh = names["Value"].relu
    lab.training.look()
    assert lab.training.surface()[1].startswith("Output at ")


@pytest.mark.parametrize(("seconds", "points"), [(1e-6, 28), (1e-4, 14), (3e-4, 8), (1e-3, 4), (1.0, 2)])
def test_a_slow_network_is_asked_for_fewer_points(seconds, points):
    assert side(seconds) == points and PIXELS % points == 0


# What goes wrong


FAULTS = {
    "backward raises": (
        [("for node in reversed(topological_order(self)):", "for node in reversed(self.order):")],
        "Your code raised AttributeError in Value.backward, line #: 'Value' object has no attribute 'order'.",
    ),
    "backward is not yet written": (
        [("        self.grad = 1.0\n", "        raise NotImplementedError\n")],
        "Your code raised NotImplementedError in Value.backward, line #. The run has stopped: mend the class,",
    ),
    "a rule raises": (
        [("self.grad += local * out.grad", "self.grad += local / 0 * out.grad")],
        "Your code raised ZeroDivisionError in Value.one_input._backward, line #: ",
    ),
    "no backward": (
        [("def backward(self):", "def back(self):")],
        "Your code raised AttributeError: 'Value' object has no attribute 'backward'.",
    ),
    "a grad is None": (
        [("self.grad += local * out.grad", "pass"), ("self.grad += other.data * out.grad", "self.grad = None")],
        "After backward() the grad of parameter 1 of 17 is None, and a number was wanted.",
    ),
}


@pytest.mark.parametrize("what", FAULTS)
def test_an_exception_in_a_step_ends_the_run_with_a_sentence(what):
    swaps, sentence = FAULTS[what]
    lab = xor(network=mine(*swaps)["MLP"])
    assert message(lab) == "" and lab.training.total > 0, "until a step is taken nothing is wrong"
    before = lab.recording.frames[-1].marks["curve.loss"]
    marks = ask(lab, "step")
    assert begins(message(lab), sentence) and len(message(lab)) <= len(OWN_ROOM)
    assert marks["curve.loss"] == before and lab.recording.frames[-1].at == "epoch 0 of 1000 · step 0"
    assert lab.patch["controls"]["play"] == {"label": "Play", "disabled": True}
    assert message(lab) in lab.text()
    ask(lab, "step", "play", "row.2")
    assert lab.training.steps == 0 and not lab.runner.running
    ask(lab, "reset")
    assert message(lab) == "" and lab.patch["controls"]["step"] == {"disabled": False}


FIRST = {
    "the class cannot be made": (
        [("def __init__(self, n_inputs, sizes):", "def __init__(self, sizes):")],
        "Your code raised TypeError: MLP.__init__() takes 2 positional arguments but 3 were given.",
    ),
    "a forward pass raises": (
        [("total = total + w * x", "total = total + w @ x")],
        "Your code raised TypeError in Neuron.__call__, line #: unsupported",
    ),
    "a ValueError is the learner's too": (
        [("y = math.tanh(self.data)", "y = math.sqrt(-1.0 - self.data**2)")],
        "Your code raised ValueError in Value.tanh, line #: math domain error.",
    ),
    "a call gives nothing": (
        [("return inputs[0] if len(inputs) == 1 else inputs", "pass")],
        "Your network gave None for the inputs [0.0, 0.0]; one Value was wanted. A function without a return",
    ),
    "a call gives a number": (
        [("return inputs[0] if len(inputs) == 1 else inputs", "return inputs[0].data")],
        "Your network gave a float for the inputs [0.0, 0.0]; one Value was wanted.",
    ),
    "a call gives many": (
        [("return inputs[0] if len(inputs) == 1 else inputs", "return inputs * 2")],
        "Your network gave a list of 2 for the inputs [0.0, 0.0]; one Value was wanted.",
    ),
    "no parameters()": (
        [("def parameters(self):\n        return [p for layer", "def params(self):\n        return [p for layer")],
        "Your code raised AttributeError: 'MLP' object has no attribute 'parameters'.",
    ),
    "parameters() gives nothing": (
        [("return [p for layer in self.layers for p in layer.parameters()]", "pass")],
        "parameters() of your network gave None, and a list of Values was wanted.",
    ),
    "parameters() gives an empty list": (
        [("return [p for layer in self.layers for p in layer.parameters()]", "return []")],
        "parameters() of your network gave an empty list",
    ),
    "parameters() gives numbers": (
        [("return [p for layer in self.layers for p in layer.parameters()]", "return [1.0]")],
        "parameters() of your network gave a list with a float in it, no Value.",
    ),
    "no power": (
        [("def __pow__", "def power")],
        "Your code raised TypeError: unsupported operand type(s) for ** or pow(): 'Value' and 'int'.",
    ),
    "a loss that is no number": (
        [("n * self.data ** (n - 1))", "n * self.data ** (n - 1)) if n < 0 else Value('large')")],
        "The data of the loss, made of your Values, is the str 'large",
    ),
    "a loss that is no Value": (
        [("return self.one_input(self.data**n,", "return self.data**n if n == 2 else self.one_input(self.data**n,")],
        "The loss, made of your Values, is a float, and no Value.",
    ),
}


@pytest.mark.parametrize("what", FIRST)
def test_what_is_wrong_from_the_start_is_said_in_a_lab_that_is_whole(what):
    swaps, sentence = FIRST[what]
    if what == "a loss that is no number":
        swaps = [*swaps, ("out = Value(self.data + other.data", "out = Value(add(self.data, other.data)")]
        engine = CLOSURES.replace(
            "class Value:", "def add(a, b):\n    return f'{a}{b}' if isinstance(a, str) else a + b\n\n\nclass Value:", 1
        )
    else:
        engine = CLOSURES
    lab = xor(network=mine(*swaps, engine=engine)["MLP"])
    assert begins(message(lab), sentence)
    assert len(message(lab)) <= len(OWN_ROOM)
    assert lab.recording.frames[-1].say == message(lab), "also where no kernel answers"
    marks = lab.recording.frames[-1].marks
    assert pictures.parts(lab.spec["stage"]).keys() == marks.keys()
    assert lab.patch["controls"]["step"] == {"disabled": True}
    for presses, changed in ((("step",), {}), (("play",), {}), (("row.2",), {"hidden1": 2}), (("reset",), {"seed": 4})):
        ask(lab, *presses, **changed)
        assert begins(message(lab), sentence) and not lab.runner.running
    pictures.tree(lab.recording.picture())
    if lab.training.outputs[0] is None:
        assert marks["row.0"]["aria-label"] == "Row 0, 0: target 0, output –, –"
        assert marks["curve.loss"]["text"] == "Loss –"


def test_the_line_is_that_of_the_learners_own_file():
    engine = CLOSURES.replace("        self.grad = 1.0\n", "        self.grad = 1.0 / 0\n")
    lab = xor(network=mine(engine=engine)["MLP"])
    ask(lab, "step")
    line = next(i for i, text in enumerate(engine.splitlines(), start=1) if "1.0 / 0" in text)
    assert f" in Value.backward, line {line}: float division by zero. The run has stopped" in message(lab)


def test_a_fault_in_play_stops_it_and_the_marks_stay():
    names = mine()
    lab = xor(network=names["MLP"], epochs=500, speed="full speed")
    right = names["Value"].backward

    def backward(self):
        if lab.training.epochs == 7:
            raise KeyError("seven")
        right(self)

    names["Value"].backward = backward

    async def play():
        ask(lab, "play")
        async with asyncio.timeout(20):
            while lab.runner.running:
                await asyncio.sleep(0.01)

    asyncio.run(play())
    assert lab.recording.frames[-1].at == "epoch 7 of 500 · step 7"
    assert message(lab).startswith("Your code raised KeyError in ") and "'seven'" in message(lab)
    assert lab.recording.frames[-1].say.startswith("Stopped after 7 epochs. The loss is ")
    other = xor()
    for _ in range(7):
        expected = ask(other, "step")
    assert lab.recording.frames[-1].marks["row.2"] == expected["row.2"]


def test_a_loss_that_is_not_finite_is_a_run_that_diverged():
    names = mine(("total.tanh()", "total"))
    lab = xor([8, 8], lr=9.0, network=names["MLP"])
    for _ in range(40):
        ask(lab, "step")
    assert message(lab).startswith(("The run diverged: the loss is ", "Your code raised OverflowError in Value."))
    ask(lab, "reset", lr=0.01)
    assert message(lab) == ""


@pytest.mark.parametrize(
    ("arguments", "fault", "sentence"),
    [
        ({"network": 3}, TypeError, r"network takes the class of your network, .* got an int."),
        ({"network": "MLP"}, TypeError, "got the str 'MLP'"),
        ({"network": MLP(2, [4, 1])}, TypeError, r"got an MLP\. Write its name without parentheses: network=MLP\."),
        ({"network": mine()["MLP"], "activation": "relu"}, ValueError, "activation is what your class has"),
        ({"network": mine()["MLP"], "init": "he"}, ValueError, "init is what your class has"),
        ({"network": mine()["MLP"], "loss": "hinge"}, ValueError, "the loss of a network of your own is one of sum_of"),
    ],
)
def test_wrong_arguments_get_a_sentence(arguments, fault, sentence):
    with pytest.raises(fault, match=sentence):
        xor(**arguments)


def test_the_librarys_own_class_is_the_librarys_own_lab():
    lab = xor(network=MLP)
    assert not isinstance(lab.training, Own) and lab.spec["title"] == "Training on XOR"


def test_a_function_that_makes_a_network_is_as_good_as_a_class():
    names = mine()
    lab = xor(network=lambda n_inputs, sizes: names["MLP"](n_inputs, sizes))
    ask(lab, "step")
    assert message(lab) == "" and lab.spec["title"] == "Training on XOR: your own <lambda>"
    assert "<lambda>" not in lab.html().split("<script", 1)[0]


def test_there_is_room_for_every_sentence():
    lab = xor([8, 8], seed=99, network=mine()["MLP"])
    assert lab.spec["room"] == OWN_ROOM
    for presses in ((), ("step",), ("row.1",)):
        ask(lab, *presses)
        assert len(lab.recording.frames[-1].say) <= len(OWN_ROOM)


# Pictures and maps


def twins(*sizes, engine="closures", seed=1):
    """A learner's network and the library's, of the same numbers, with the gradients of the same loss."""
    names = mine(engine=ENGINES[engine])
    random.seed(seed)
    theirs, ours = names["MLP"](2, [*sizes, 1]), MLP(2, [*sizes, 1], "tanh", "tanh", rng=random.Random(seed))
    ((theirs([1.0, -0.5]) - 1) ** 2).backward()
    losses.sum_of_squares([ours([1.0, -0.5])], [1]).backward()
    return theirs, ours


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shows", ["weights", "gradients"])
def test_a_learners_network_is_drawn_as_the_librarys(engine, shows):
    theirs, ours = twins(4, 3, engine=engine)
    one, other = (draw_network(net, [1.0, -0.5], 1, shows=shows) for net in (theirs, ours))
    assert one.svg == other.svg and one.alt == other.alt


def test_layer_gradients_are_those_of_the_library():
    theirs, ours = twins(4, 3)
    found, expected = layer_gradients(theirs), layer_gradients(ours)
    assert list(found) == list(expected)
    for name, gradients in expected.items():
        assert found[name] == pytest.approx(gradients, abs=1e-12)
    assert "layer 1: 12 gradients" in gradient_histogram(found).get_label()


def test_a_network_that_is_not_of_tanh_is_drawn_without_a_word_on_its_neurons():
    theirs = mine(("total.tanh()", "total.relu()"))["MLP"](2, [3, 1])
    picture = draw_network(theirs, [1.0, 2.0])
    assert ">hidden<" in picture.svg and "tanh" not in picture.svg
    assert picture.alt.endswith(f"it gives {show(theirs([1.0, 2.0]).data)}.")


@pytest.mark.parametrize("way", [way for way in UNREAD if way != "no layers"])
def test_a_drawing_says_what_it_does_not_find(way):
    swaps, why = UNREAD[way]
    with pytest.raises(TypeError, match=r"A network is read by its \.layers, their \.neurons, and the \.weights and"):
        draw_network(mine(*swaps)["MLP"](2, [2, 1]))
    with pytest.raises(TypeError, match=why):
        neurons_of(mine(*swaps)["MLP"](2, [2, 1]))


def test_a_drawing_of_a_class_or_of_no_network_gets_a_sentence():
    with pytest.raises(
        TypeError, match=r"takes an MLP, got a type\. MLP is the class: pass a network made of it, as MLP\("
    ):
        draw_network(mine()["MLP"])
    with pytest.raises(TypeError, match="draw_network takes an MLP, got an MLP"):
        draw_network(mine(("self.layers", "self.stack"))["MLP"](2, [2, 1]))
    with pytest.raises(ValueError, match="takes 2 inputs, got 1"):
        draw_network(twins(2)[0], [1.0])
    net = twins(2)[0]
    net.layers[0].neurons[0].weights.pop()
    net.layers[0].neurons[1].weights.append(net.layers[0].neurons[0].bias)
    with pytest.raises(TypeError, match="a neuron of layer 1 has 3 weights, not 1"):
        draw_network(net)


def test_what_is_told_to_be_of_tanh_gives_what_tanh_gives():
    theirs, ours = twins(3)
    assert is_tanh(theirs) and is_tanh(ours)
    points = [[0.3, -2.0], [5.0, 1.0]]
    assert on_arrays(neurons_of(theirs), points)[:, 0] == pytest.approx([theirs(p).data for p in points], abs=1e-12)
    for swap in (("total.tanh()", "total.sigmoid()"), ("return inputs[0]", "return inputs[0] * 1.0001")):
        assert not is_tanh(mine(swap)["MLP"](2, [3, 1]))
    theirs.layers[0].neurons[0].bias.data = math.nan
    assert not is_tanh(theirs) and not is_tanh(object())


POINTS, HIGH = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_map_of_a_learners_network_is_that_of_the_librarys(engine):
    theirs, ours = twins(4, engine=engine)
    one, other = (decision_map(net, POINTS, HIGH) for net in (theirs, ours))
    assert one.get_label() == other.get_label()
    levels = [figure.axes[0].collections[1].get_paths()[0].vertices for figure in (one, other)]
    assert levels[0] == pytest.approx(levels[1], abs=1e-9)


def test_a_map_of_a_network_that_is_not_of_tanh_is_called_point_by_point():
    names = mine(("total.tanh()", "total.sigmoid()"), ("inputs[0] if len(inputs) == 1 else inputs", "inputs"))
    random.seed(2)
    theirs, ours = names["MLP"](2, [4, 1]), MLP(2, [4, 1], "sigmoid", "sigmoid", rng=random.Random(2))
    assert decision_map(theirs, POINTS, HIGH).get_label() == decision_map(ours, POINTS, HIGH).get_label()


@pytest.mark.parametrize(
    ("net", "fault", "sentence"),
    [
        (mine()["MLP"], TypeError, r"got a type\. MLP is the class: pass a network made of it"),
        (mine()["MLP"](3, [1]), ValueError, "two inputs and one output; this network has sizes"),
        (mine(("total.tanh()", "total"))["MLP"](2, [2]), ValueError, "two inputs and one output; this network gives 2"),
        (mine(("return inputs[0] if len(inputs) == 1 else inputs", "pass"))["MLP"](2, [1]), TypeError, "gave None"),
    ],
)
def test_a_map_of_what_is_no_such_network_gets_a_sentence(net, fault, sentence):
    with pytest.raises(fault, match=sentence):
        decision_map(net, POINTS, HIGH)
