"""Networks of learners, on their own Values, as texts: engines, and ways to write the solutions' classes."""

from exercises.content import library
from tests.engines import CLOSURES, SLOTS, STORED, names_in, swapped

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
    **{
        f"no {name}": ([(f"self.{name}", "self.others")], f"this one has {whose} that has no .{name}")
        for name, whose in (("neurons", "a Layer"), ("layers", "an MLP"), ("bias", "a Neuron"), ("weights", "a Neuron"))
    },
    "weights in a dictionary": (
        [(WEIGHTS, f"dict(enumerate({WEIGHTS}))"),
         ("zip(self.weights, inputs)", "zip(self.weights.values(), inputs)"),
         ("[*self.weights, self.bias]", "[*self.weights.values(), self.bias]")],
        "this one has a Neuron whose .weights is no list",
    ),
}  # fmt: skip
LINEAR, SIGMOID = ("total.tanh()", "total"), ("total.tanh()", "total.sigmoid()")


def mine(*swaps, engine=CLOSURES):
    """Return the names of a learner's file: a Value, and the solutions' Neuron, Layer and MLP with swapped text."""
    classes = "\n".join(library.solution(name).code for name in ("neuron", "layer", "mlp"))
    return names_in(swapped(f"{engine}\n\nimport random\n\n\n{classes}", *swaps))


def network(*swaps, engine=CLOSURES):
    return mine(*swaps, engine=engine)["MLP"]
