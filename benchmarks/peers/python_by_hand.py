"""No engine: forward and backward as straight-line Python on floats, a local variable for each number.

The derivatives are those that one writes by hand; because there are many lines, a loop writes them.
"""

import functools
import math
from itertools import pairwise

from benchmarks.peers import engine

FUNCTIONS = {  # the function of z, and its derivative times upstream from the output h
    "tanh": ("tanh({z})", "({upstream}) * (1.0 - {h} * {h})"),
    "relu": ("max({z}, 0.0)", "({upstream}) if {h} > 0.0 else 0.0"),
    "linear": ("{z}", "{upstream}"),
}
LOSSES = {  # a sample's term, its derivative by the output, and how much of the L2 norm is added
    "sum of squares": ("(h - t) * (h - t)", "2.0 * (h - t)", 0.0),
    "max margin": ("max(1.0 - t * h, 0.0) / n", "-t / n if t * h < 1.0 else 0.0", 1e-4),
}


class Floats(engine.Numbers):
    """Plain floats."""

    def model(self, task):
        loss = compiled(tuple(task["sizes"]), task["activation"], task["output"], task["loss"])
        return list(task["parameters"]), functools.partial(loss, task["rows"], task["targets"])

    def value_and_grad(self, loss, parameters):
        return loss(parameters)


@functools.cache
def compiled(sizes, activation, output, loss):
    """Return the function (rows, targets, parameters) -> (loss, gradients) of one shape of network."""
    found = {"tanh": math.tanh}
    exec(source(sizes, activation, output, loss), found)
    return found["value_and_grad"]


def source(sizes, activation, output, loss):
    """Return its text. w2_3_1: weight of layer 2, neuron 3, input 1; b: bias, h: output, d: ∂loss/∂z, g: gradient."""
    term, slope, decay = LOSSES[loss]
    layers = list(enumerate(pairwise(sizes), start=1))
    names = [
        name
        for k, (n_in, n_out) in layers
        for j in range(1, n_out + 1)
        for name in [*(f"w{k}_{j}_{i}" for i in range(1, n_in + 1)), f"b{k}_{j}"]
    ]
    head = [f"{', '.join(names)} = parameters", f"{' = '.join(f'g{name}' for name in names)} = total = 0.0"]
    forward, backward = [f"{comma(f'h0_{i}' for i in range(1, sizes[0] + 1))} = row"], []
    for k, (n_in, n_out) in layers:
        last = k == len(layers)
        function, derivative = FUNCTIONS[output if last else activation]
        block = []
        for j in range(1, n_out + 1):
            h, inputs = f"h{k}_{j}", [(f"w{k}_{j}_{i}", f"h{k - 1}_{i}") for i in range(1, n_in + 1)]
            z = " + ".join([f"b{k}_{j}", *(f"{w} * {x}" for w, x in inputs)])
            forward.append(f"{h} = {function.format(z=z)}")
            above = (
                "slope" if last else " + ".join(f"d{k + 1}_{m} * w{k + 1}_{m}_{j}" for m in range(1, sizes[k + 1] + 1))
            )
            block.append(f"d = d{k}_{j} = {derivative.format(upstream=above, h=h)}")
            block += [f"g{w} += d * {x}" for w, x in inputs] + [f"gb{k}_{j} += d"]
        backward = block + backward
    middle = [f"h = h{len(layers)}_1", f"total += {term}", f"slope = {slope}"]
    end = [f"gradients = [{', '.join(f'g{name}' for name in names)}]"]
    if decay:
        end += [
            f"total += {decay} * sum([p * p for p in parameters])",
            f"gradients = [g + {2 * decay} * p for g, p in zip(gradients, parameters)]",
        ]
    lines = ["def value_and_grad(rows, targets, parameters):", "    n = len(rows)", *indented(head, 4)]
    lines += ["    for row, t in zip(rows, targets):", *indented([*forward, *middle, *backward], 8)]
    return "\n".join([*lines, *indented(end, 4), "    return total, gradients"])


def comma(names):
    """Return names as a tuple, even a single one: 'a, b,'."""
    return "".join(f"{name}, " for name in names).rstrip()


def indented(lines, spaces):
    return [" " * spaces + line for line in lines]
