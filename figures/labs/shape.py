"""The shape lab: an MLP's layer sizes, the parameters and nodes they make, and a neuron opened into its ops."""

import itertools
import random

from autograd import MLP, Value
from autograd.errors import messages
from autograd.errors.messages import show
from autograd.training.nn import ACTIVATIONS
from figures.graph.stage import plural
from figures.labs.shape_picture import Pictures, draw, formula
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, choice, switch, whole
from figures.page.player import Frame, Player

LARGEST, HIDDEN = 16, 3  # units in a layer, and hidden layers, that fit into the pictures
WIDEST_TEXT = (  # as long as the longest sentence
    "MLP(16, [16, 16, 16, 16]) has (16+1)·16 + (16+1)·16 + (16+1)·16 + (16+1)·16 = 1,088 parameters. Its graph has "
    "1,232 nodes with one for each neuron's sum, 3,216 with one for each operation. Neuron 1.16 is open: 16 products "
    "and 16 additions, then leaky_relu, give -0.000e+00."
)
SAMPLE = (1.0, -0.5, 0.5, -1.0)  # the sample that runs through the network, repeated if it is too short
INPUTS = Inputs(
    whole("inputs", 1, LARGEST),
    *(whole(f"hidden{i}", 0, LARGEST, f"hidden {i}", what=f"hidden layer {i}") for i in range(1, HIDDEN + 1)),
    whole("outputs", 1, LARGEST),
    *(
        choice(name, ACTIVATIONS, f"{of} activation", says=f"the {of} activation is one of {', '.join(ACTIVATIONS)}")
        for name, of in (("activation", "hidden"), ("output", "output"))
    ),
    switch("counts", "show the counts"),
)


def shape(n_inputs=2, layers=(4, 4, 1), *, activation="tanh", output="linear", counts=False):
    """Choose an MLP's layer sizes; count its parameters and the nodes of its graph, and open a neuron.

    A layer of m neurons that reads n numbers has (n + 1)·m parameters. The graph has a node for each input, parameter,
    weighted sum and activation; built from single operations (`every_op=True`), it has n products and n additions in
    place of each weighted sum. Press a neuron of the graph to open its sum; press it again to close it.

    n_inputs, layers: as MLP takes them, with at most 3 hidden layers and 16 units in each; sliders change them, and a
    hidden layer of 0 is left out. activation: that of hidden layers; output: that of the last. counts: whether the
    counts are shown at once; otherwise a switch shows them, after the learner has predicted. Raise ValueError or
    TypeError if an argument is invalid.
    """
    if not isinstance(layers, (list, tuple)) or not layers:
        raise ValueError(f"layers is a list of sizes, as in [4, 4, 1]; got {messages.described(layers)}.")
    *hidden, outputs = layers
    if len(hidden) > HIDDEN:
        raise ValueError(f"this picture has room for {HIDDEN} hidden layers, got {len(hidden)}.")
    hidden = [*hidden, *[0] * (HIDDEN - len(hidden))]
    sizes = {f"hidden{i}": n for i, n in enumerate(hidden, start=1)}
    settings = {"inputs": n_inputs, **sizes, "outputs": outputs, "activation": activation, "output": output}
    return Shape({**settings, "counts": counts})


class Shape(Player):
    """The lab: sliders make another network, presses open and close its neurons."""

    live = True

    def __init__(self, settings):
        controls = INPUTS.controls(**settings)
        self.network, self.opened = Network(settings), None
        super().__init__(record(self.network, None, settings["counts"]), controls=controls)

    def render_text(self):
        """Return the sentence with the counts, because the text mode has no switch."""
        return f"1. {sentence(self.network, self.opened, counts=True)}"

    def answer(self, values, presses):
        """Show another network, with its own pictures; or the same with another neuron open."""
        settings, opened = INPUTS.checked({**self.values, **values}), self.opened
        network = Network(settings) if settings != self.values else self.network
        for press in presses:
            neuron = neuron_of(press, network)
            opened = None if neuron == opened else neuron
        if opened is not None and not network.has(*opened):
            opened = None
        recording, other = record(network, opened, settings["counts"]), network is not self.network
        self.network, self.opened, self.values = network, opened, settings
        if other:
            self.load(recording)
            self.patch = {}  # it belonged to the previous frame
        else:
            self.show(recording.frames[0].updates, recording.frames[0].say)


def neuron_of(press, network):
    """Return the neuron that a press is for: (layer, place), counted from 1; raise ValueError if there is none."""
    try:
        layer, place = (int(part) for part in press.removeprefix("neuron ").split("."))
    except (AttributeError, ValueError):
        raise ValueError(f"a press names a neuron, as in 'neuron 1.2'; got {press!r}.") from None
    if not network.has(layer, place):
        raise ValueError(f"this network has no neuron {layer}.{place}.")
    return layer, place


# Record


class Network:
    """An MLP of these settings, the numbers in it for one sample, and its counts.

    sizes: inputs first. activations: of each layer. values: the outputs of each layer, the inputs first. stages: that
    with counts and that without, once drawn. pairs: for each layer, how many numbers it reads and how many neurons it
    has. parameters: (n + 1)·m for each layer, weights among them. activated: the neurons whose activation is a node.
    nodes: in the graph of one sample's outputs: inputs, parameters, one weighted sum per neuron, and activations; ops:
    the same if each weighted sum is made of a product and an addition for each weight.
    """

    def __init__(self, settings):
        hidden = [settings[f"hidden{i}"] for i in (1, 2, 3) if settings[f"hidden{i}"]]
        self.sizes = [settings["inputs"], *hidden, settings["outputs"]]
        self.activations = [settings["activation"]] * len(hidden) + [settings["output"]]
        self.mlp = MLP(self.sizes[0], self.sizes[1:], settings["activation"], settings["output"], rng=random.Random(0))
        inputs = [SAMPLE[i % len(SAMPLE)] for i in range(self.sizes[0])]
        values = [Value(x) for x in inputs]
        self.values, self.stages = [inputs], {}
        for layer in self.mlp.layers:
            values = layer(values)
            self.values.append([value.data for value in values])
        self.pairs = list(itertools.pairwise(self.sizes))
        self.weights, self.neurons = sum(n * m for n, m in self.pairs), sum(self.sizes[1:])
        self.parameters = self.weights + self.neurons
        self.activated = sum(m for m, name in zip(self.sizes[1:], self.activations) if name != "linear")
        self.nodes = self.sizes[0] + self.parameters + self.neurons + self.activated
        self.ops = self.nodes - self.neurons + 2 * self.weights

    def has(self, layer, place):
        return 1 <= layer < len(self.sizes) and 1 <= place <= self.sizes[layer]

    def __str__(self):
        return f"MLP({self.sizes[0]}, {self.sizes[1:]})"


def sentence(network, opened, counts):
    said = (
        f"How many parameters does {network} have, and how many nodes does its graph have? Predict, then "
        "show the counts."
    )
    if counts:
        said = (
            f"{network} has {formula(network)} = {plural(network.parameters, 'parameter')}. Its graph has "
            f"{network.nodes:,} nodes with one for each neuron's sum, {network.ops:,} with one for each operation."
        )
    if opened is None:
        return f"{said} Press a neuron in the graph to open its sum."
    layer, place = opened
    n, activation, value = network.sizes[layer - 1], network.activations[layer - 1], network.values[layer][place - 1]
    end = "give" if activation == "linear" else f"then {activation}, give"
    many = f"{plural(n, 'product')} and {plural(n, 'addition')}"
    return f"{said} Neuron {layer}.{place} is open: {many}, {end} {show(value)}."


def record(network, opened, counts=True):
    """Return the Recording of a network, with one neuron open or none: one frame. counts: whether to show them."""
    say, stage = sentence(network, opened, counts), network.stages.setdefault(counts, FrameTemplate(draw))
    return Pictures(
        "The shape of a network", [Frame(say, "", stage.updates(network, opened, counts))], stage, say, room=WIDEST_TEXT
    )
