"""Networks of learners' own, on Values of their own: the XOR lab trains them, pictures and maps show them."""

import math
import random

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
from figures.training.settings import checked
from figures.training.surface import GRID, PIXELS, middles
from tests import pictures
from tests.approve import approved
from tests.engines import CLOSURES, SLOTS, STORED, names_in, swapped
from tests.labs import ask, message, run

WEIGHTS = "[Value(random.uniform(-1, 1)) for _ in range(n_inputs)]"  # texts of the solutions' classes
ONE = "inputs[0] if len(inputs) == 1 else inputs"
PARAMETERS = "[p for layer in self.layers for p in layer.parameters()]"
NEURON, LAYER = "    def __init__(self, n_inputs):", "    def __init__(self, n_inputs, n_outputs):"
LOCALS = swapped(  # on nodes that have nothing but what they need, under other names
    STORED,
    ("    def __init__", '    __slots__ = ("data", "grad", "inputs", "locals", "_op")\n\n    def __init__'),
    ("self._prev, self.local =", "self.inputs, self.locals ="),
    ("data, 0.0, prev", "data, 0, prev"),
    ("(node._prev, node.local)", "(node.inputs, node.locals)"),
    ("node._prev", "node.inputs"),
)
ENGINES = {"closures": CLOSURES, "slots": SLOTS, "locals": LOCALS}
WAYS = {  # changes to the solutions' classes, each a way in which somebody may have written them
    "as the solutions": [],
    "weights in a tuple": [(WEIGHTS, f"tuple({WEIGHTS})")],
    "a list of one": [(ONE, "inputs")],
    "a layer of one gives a Value": [
        ("return [neuron(inputs) for neuron in self.neurons]",
         "outputs = [neuron(inputs) for neuron in self.neurons]\n"
         "        return outputs[0] if len(outputs) == 1 else outputs"),
        (ONE, "inputs"),
    ],
    "parameters as a generator": [(PARAMETERS, f"({PARAMETERS[1:-1]})")],
    "parameters in a tuple": [("return [*self.weights, self.bias]", "return (*self.weights, self.bias)")],
    "slots": [
        (NEURON, f'    __slots__ = ("weights", "bias")\n\n{NEURON}'),
        (LAYER, f'    __slots__ = ("neurons",)\n\n{LAYER}'),
    ],
}  # fmt: skip
UNREAD = {
    "no neurons": ([("self.neurons", "self.cells")], "this one has a Layer that has no .neurons"),
    "no layers": ([("self.layers", "self.stack")], "this one has an MLP that has no .layers"),
    "no bias": ([("self.bias", "self.b")], "this one has a Neuron that has no .bias"),
    "no weights": ([("self.weights", "self.w")], "this one has a Neuron that has no .weights"),
    "weights in a dictionary": (
        [(WEIGHTS, f"dict(enumerate({WEIGHTS}))"),
         ("zip(self.weights, inputs)", "zip(self.weights.values(), inputs)"),
         ("[*self.weights, self.bias]", "[*self.weights.values(), self.bias]")],
        "this one has a Neuron whose .weights is no list",
    ),
}  # fmt: skip
KEPT = ("sum_of_squares", "mean_squares", "half_squares")


def mine(*swaps, engine=CLOSURES):
    """The names of a learner's file: a Value, and the solutions' Neuron, Layer and MLP with some text replaced."""
    classes = "\n".join(library.solution(name).code for name in ("neuron", "layer", "mlp"))
    return names_in(swapped(f"{engine}\n\nimport random\n\n\n{classes}", *swaps))


def steps(count, *labs):
    """The marks of each lab after so many presses of Step."""
    for _ in range(count):
        found = [ask(lab, "step") for lab in labs]
    return found


# Training


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("hidden", [[], 4, [4, 4]])
@pytest.mark.parametrize("loss", KEPT)
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


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_write_the_classes_train_and_are_drawn(way):
    lab, other = xor(3, seed=5, network=mine(*WAYS[way])["MLP"]), xor(3, seed=5)
    marks, expected = steps(3, lab, other)
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
    marks, expected = steps(3, lab, other)
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


def test_the_lab_says_that_it_is_the_learners_own_network_and_has_room_for_every_sentence():
    lab = xor([4, 4], seed=2, network=mine()["MLP"])
    assert lab.spec["title"] == "Training on XOR: your own MLP"
    assert lab.recording.frames[-1].say.startswith(
        "Your own MLP(2, [4, 4, 1]), on your own Value: 37 parameters, from seed 2. Nothing is trained yet. Its "
        "neurons are always tanh, its first weights lie between -1 and 1. The loss is "
    )
    assert 'alt="Your own 2-4-4-1 network that is trained on XOR' in lab.html()
    assert "training on xor: your own mlp" in lab.html().lower()
    lab = xor([8, 8], seed=99, network=mine()["MLP"])
    assert lab.spec["room"] == OWN_ROOM
    for presses in ((), ("step",), ("row.1",)):
        ask(lab, *presses)
        assert len(lab.recording.frames[-1].say) <= len(OWN_ROOM)


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
    assert found["loss"]["options"] == KEPT
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
    marks, expected = steps(2, lab, other)
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


def test_the_map_is_that_of_the_network_itself_and_arrays_are_left_as_soon_as_they_give_something_else():
    names = mine()
    lab = xor([4, 4], network=names["MLP"])
    steps(30, lab)
    outputs, head = lab.training.surface()
    assert head == "Output everywhere"
    for i in random.Random(0).sample(range(PIXELS**2), 40):
        assert outputs.ravel()[i] == pytest.approx(lab.training.net(GRID[i].tolist()).data, abs=1e-12)
    names["Value"].tanh = names["Value"].relu
    lab.training.look()
    assert lab.training.surface()[1].startswith("Output at ")


@pytest.mark.parametrize(("seconds", "points"), [(1e-6, 28), (1e-4, 14), (3e-4, 8), (1e-3, 4), (1.0, 2)])
def test_a_slow_network_is_asked_for_fewer_points(seconds, points):
    assert side(seconds) == points and PIXELS % points == 0


# What goes wrong


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


def test_what_is_said_of_each_fault():
    said = []
    for name, swaps in (IN_A_STEP | AT_ONCE).items():
        lab = xor(network=mine(*swaps)["MLP"])
        if name in IN_A_STEP:
            assert message(lab) == "" and lab.training.total > 0, "until a step is taken nothing is wrong"
            ask(lab, "step")
        assert len(message(lab)) <= len(OWN_ROOM)
        said.append(f"{name}: {message(lab)}")
    approved("own_network", "\n".join(said))
    line = next(i for i, text in enumerate(CLOSURES.splitlines(), start=1) if text == PASS.rstrip())
    assert f" in Value.backward, line {line}: float division by zero. The run has stopped" in said[1]


@pytest.mark.parametrize("what", IN_A_STEP)
def test_an_exception_in_a_step_ends_the_run(what):
    lab = xor(network=mine(*IN_A_STEP[what])["MLP"])
    before = lab.recording.frames[-1].marks["curve.loss"]
    marks = ask(lab, "step")
    assert marks["curve.loss"] == before and lab.recording.frames[-1].at == "epoch 0 of 1000 · step 0"
    assert lab.patch["controls"]["play"] == {"label": "Play", "disabled": True}
    assert message(lab) in lab.text()
    ask(lab, "step", "play", "row.2")
    assert lab.training.steps == 0 and not lab.runner.running
    ask(lab, "reset")
    assert message(lab) == "" and lab.patch["controls"]["step"] == {"disabled": False}


@pytest.mark.parametrize("what", AT_ONCE)
def test_what_is_wrong_from_the_start_is_said_in_a_lab_that_is_whole(what):
    lab = xor(network=mine(*AT_ONCE[what])["MLP"])
    said = message(lab)
    assert lab.recording.frames[-1].say == said, "also where no kernel answers"
    marks = lab.recording.frames[-1].marks
    assert pictures.parts(lab.spec["stage"]).keys() == marks.keys()
    assert lab.patch["controls"]["step"] == {"disabled": True}
    for presses, changed in ((("step",), {}), (("play",), {}), (("row.2",), {"hidden1": 2}), (("reset",), {"seed": 4})):
        ask(lab, *presses, **changed)
        assert message(lab) == said and not lab.runner.running
    pictures.tree(lab.recording.picture())
    if lab.training.outputs[0] is None:
        assert marks["row.0"]["aria-label"] == "Row 0, 0: target 0, output –, –"
        assert marks["curve.loss"]["text"] == "Loss –"


def test_a_fault_in_play_stops_it_and_the_marks_stay():
    names = mine()
    lab, other = xor(network=names["MLP"], epochs=500, speed="full speed"), xor()
    right = names["Value"].backward

    def backward(self):
        if lab.training.epochs == 7:
            raise KeyError("seven")
        right(self)

    names["Value"].backward = backward
    run(lab)
    assert lab.recording.frames[-1].at == "epoch 7 of 500 · step 7"
    assert message(lab).startswith("Your code raised KeyError in ") and "'seven'" in message(lab)
    assert lab.recording.frames[-1].say.startswith("Stopped after 7 epochs. The loss is ")
    assert lab.recording.frames[-1].marks["row.2"] == steps(7, other)[0]["row.2"]


def test_a_loss_that_is_not_finite_is_a_run_that_diverged():
    names = mine(("total.tanh()", "total"))
    lab = xor([8, 8], lr=9.0, network=names["MLP"])
    steps(40, lab)
    assert message(lab).startswith(("The run diverged: the loss is ", "Your code raised OverflowError in Value."))
    ask(lab, "reset", lr=0.01)
    assert message(lab) == ""


FIELDS = r"A network is read by its \.layers, their \.neurons, and the \.weights and"
NO_CLASS = r"got a type\. MLP is the class: pass a network made of it"
OWN = mine()["MLP"]
WITHOUT = {way: UNREAD[way] for way in UNREAD if way != "no layers"}
REFUSED = {  # arguments of xor, draw_network or decision_map, and the sentence that they get
    TypeError: [
        (lambda: xor(network=3), "network takes the class of your network, .* got an int."),
        (lambda: xor(network="MLP"), "got the str 'MLP'"),
        (lambda: xor(network=MLP(2, [4, 1])), r"got an MLP\. Write its name without parentheses: network=MLP\."),
        (lambda: draw_network(OWN), rf"takes an MLP, {NO_CLASS}, as MLP\("),
        (lambda: drawn(("self.layers", "self.stack")), "draw_network takes an MLP, got an MLP"),
        *((lambda swaps=swaps: drawn(*swaps), FIELDS) for swaps, _ in WITHOUT.values()),
        *((lambda swaps=swaps: neurons_of(small(*swaps)), why) for swaps, why in WITHOUT.values()),
        (lambda: mapped(OWN), NO_CLASS),
        (lambda: mapped(mine((f"return {ONE}", "pass"))["MLP"](2, [1])), "gave None"),
    ],
    ValueError: [
        (lambda: xor(network=OWN, activation="relu"), "activation is what your class has"),
        (lambda: xor(network=OWN, init="he"), "init is what your class has"),
        (lambda: xor(network=OWN, loss="hinge"), "the loss of a network of your own is one of sum_of"),
        (lambda: draw_network(twins(2)[0], [1.0]), "takes 2 inputs, got 1"),
        (lambda: mapped(OWN(3, [1])), "two inputs and one output; this network has sizes"),
        (
            lambda: mapped(mine(("total.tanh()", "total"))["MLP"](2, [2])),
            "two inputs and one output; this network gives 2",
        ),
    ],
}


@pytest.mark.parametrize("fault, call, sentence", [(fault, *row) for fault, rows in REFUSED.items() for row in rows])
def test_wrong_arguments_get_a_sentence(fault, call, sentence):
    with pytest.raises(fault, match=sentence):
        call()


def test_the_librarys_own_class_is_the_librarys_own_lab_and_a_function_is_as_good_as_a_class():
    lab = xor(network=MLP)
    assert not isinstance(lab.training, Own) and lab.spec["title"] == "Training on XOR"
    names = mine()
    lab = xor(network=lambda n_inputs, sizes: names["MLP"](n_inputs, sizes))
    ask(lab, "step")
    assert message(lab) == "" and lab.spec["title"] == "Training on XOR: your own <lambda>"
    assert "<lambda>" not in lab.html().split("<script", 1)[0]


# Pictures and maps


def twins(*sizes, engine="closures", seed=1):
    """A learner's network and the library's, of the same numbers, with the gradients of the same loss."""
    names = mine(engine=ENGINES[engine])
    random.seed(seed)
    theirs, ours = names["MLP"](2, [*sizes, 1]), MLP(2, [*sizes, 1], "tanh", "tanh", rng=random.Random(seed))
    ((theirs([1.0, -0.5]) - 1) ** 2).backward()
    losses.sum_of_squares([ours([1.0, -0.5])], [1]).backward()
    return theirs, ours


POINTS, HIGH = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]


def mapped(net):
    """The decision map of a network on XOR."""
    return decision_map(net, POINTS, HIGH)


def small(*swaps):
    """A learner's network whose classes have some of their text replaced."""
    return mine(*swaps)["MLP"](2, [2, 1])


def drawn(*swaps):
    """Its drawing."""
    return draw_network(small(*swaps))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_learners_network_is_drawn_and_mapped_as_the_librarys(engine):
    both = twins(4, 3, engine=engine)
    for shows in ("weights", "gradients"):
        one, other = (draw_network(net, [1.0, -0.5], 1, shows=shows) for net in both)
        assert one.svg == other.svg and one.alt == other.alt
    found, expected = map(layer_gradients, both)
    assert list(found) == list(expected)
    for name, gradients in expected.items():
        assert found[name] == pytest.approx(gradients, abs=1e-12)
    assert "layer 1: 12 gradients" in gradient_histogram(found).get_label()
    one, other = map(mapped, both)
    assert one.get_label() == other.get_label()
    levels = [figure.axes[0].collections[1].get_paths()[0].vertices for figure in (one, other)]
    assert levels[0] == pytest.approx(levels[1], abs=1e-9)


def test_a_network_that_is_not_of_tanh_is_drawn_without_a_word_on_its_neurons():
    theirs = mine(("total.tanh()", "total.relu()"))["MLP"](2, [3, 1])
    picture = draw_network(theirs, [1.0, 2.0])
    assert ">hidden<" in picture.svg and "tanh" not in picture.svg
    assert picture.alt.endswith(f"it gives {show(theirs([1.0, 2.0]).data)}.")


def test_a_neuron_with_a_weight_too_many_is_said():
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


def test_a_map_of_a_network_that_is_not_of_tanh_is_called_point_by_point():
    names = mine(("total.tanh()", "total.sigmoid()"), (ONE, "inputs"))
    random.seed(2)
    theirs, ours = names["MLP"](2, [4, 1]), MLP(2, [4, 1], "sigmoid", "sigmoid", rng=random.Random(2))
    assert mapped(theirs).get_label() == mapped(ours).get_label()
