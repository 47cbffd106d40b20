"""The NumPy source for a graph of Tensors: one line for each node, and one for each gradient."""

import itertools
import re

import numpy as np

from autograd.compile.array_ops import NUMPY, source_of, unbroadcast
from autograd.compile.array_trace import Followed, subscript, to_expression
from autograd.compile.codegen import format_function as function
from autograd.compile.codegen import literal, named_after, summed
from autograd.tensor import Tensor, quiet
from autograd.topo import topological_order

RESERVED = {*NUMPY, "GuardFailed", "program", "bool", "int", "float", "abs", "slice", "one"}
OWN = ("exp", "slope", "spread", "sums", "shifted", "margins", "a", "b")  # what an operation's own names end with
LOSSES = ("softmax_cross_entropy", "hinge", "binary_cross_entropy")
ENDS = ("+", "sum", "mean", "softmax_cross_entropy", "hinge")  # whose VJPs need no array if the gradient is 1
SHARES = re.compile(r"\w+|.*(\.T|\.reshape\(\(.*\)\)|\[\.\.\., 0\])")  # what may be no new array


class ArrayProgram:
    """A graph of Tensors as source, with all shapes as they are now.

    arguments: {a Tensor or a Followed: a name for it}, the arrays that each call is given. tracer: the ArrayTracer of
    the function that made the graph. `source` defines a function of the arguments, which returns the root's number and
    the gradient of each argument that is a Tensor. `constants`: what it uses besides NUMPY, by name.
    """

    def __init__(self, root, arguments, tracer):
        self.root, self.tracer, self.order = root, tracer, topological_order(root)
        self.names, self.constants, self.taken = {}, {"one": np.ones(root.shape)}, set(RESERVED)
        self.count = itertools.count(1)  # for names that no label gives
        self.changing, self.wanted = set(arguments), {each for each in arguments if isinstance(each, Tensor)}
        for thing in tracer.made:  # what depends on the arguments; and what of that has a gradient
            if not self.changing.isdisjoint(self.inputs(thing)):
                self.changing.add(thing)
            if not self.wanted.isdisjoint(getattr(thing, "_prev", ())):
                self.wanted.add(thing)
        for argument, label in arguments.items():
            self.name(argument, label)
        self.sources = {node: source_of(node) for node in self.changing if getattr(node, "_prev", ())}
        self.vjps = {}  # {node: its VJPs as source, in which {d} is still open}
        self.guards = [guard for guard in tracer.guards if not self.changing.isdisjoint(guard[0])]
        lines = [*self.forward(), "# backward", *self.backward([each for each in arguments if each in self.wanted])]
        self.source = function(f"def program({', '.join(self.names[each] for each in arguments)}):", lines)

    def inputs(self, thing):
        """Return what a node or a Followed is computed from, with texts between."""
        expression = thing.expression if isinstance(thing, Followed) else self.tracer.known.get(thing, ())
        return [*getattr(thing, "_prev", ()), *expression, *self.tracer.given.get(thing, [()])[-1]]

    def name(self, thing, label=""):
        """Choose a name for an array that is given, or computed: its label if that is free."""
        self.names[thing] = name = named_after(label, self.taken) or f"v{next(self.count)}"
        self.taken |= {name, *(f"{name}_{own}" for own in OWN)}
        return name

    def __getitem__(self, thing):
        """Return what stands for a thing in the source: its name; a constant's number, or the name of a constant."""
        if isinstance(thing, str):
            return thing
        if thing not in self.names:
            data = thing.data.copy(order="K") if isinstance(thing.data, np.ndarray) else thing.data
            if isinstance(thing, Tensor) and not np.shape(data):
                return literal(float(data))
            known = (NUMPY | self.constants).get(thing.label) is data  # a function
            self.constants[thing.label if known else self.name(thing, thing.label)] = data
            self.names.setdefault(thing, thing.label)
        return self.names[thing]

    def render_expression(self, expression):
        return "".join(map(self.__getitem__, expression))

    def forward(self):
        """Yield the lines that compute what the root, the guards and refusing operations need, and then the guards."""
        made = [thing for thing in self.tracer.made if thing in self.changing]
        needed = {self.root, *(part for guard, _ in self.guards for part in guard)}
        needed |= {node for node in made if self.may_refuse(node)}
        for thing in reversed(made):
            if thing in needed:
                needed.update(self.inputs(thing))
        for thing in made:
            known = self.tracer.known.get(thing)
            if thing in needed and known and as_it_is(known[0].data):
                self.names[thing] = self[known[0]]
            elif thing in needed and (known or isinstance(thing, Followed)):
                text = f"array({self[known[0]]}, float)" if known else self.render_expression(thing.expression)
                yield f"{self.name(thing, thing.label)} = {text}"
            elif thing in needed:
                yield from self.value(thing)
        for guard, found in self.guards:
            yield f"if {'not ' if found else ''}({self.render_expression(guard)}): raise GuardFailed"

    def may_refuse(self, node):
        """Return whether it depends on the arguments if an operation has a value."""
        if not self.sources.get(node) or not self.sources[node].refuses:
            return False
        if node._op in ("[]", *LOSSES):
            return not self.changing.isdisjoint(self.given(node)[-1])
        return node._op != "/" or node._prev[1] in self.changing

    def given(self, node):
        """Return an operation's index or targets, as written between brackets, and alone."""
        found, constant = self.tracer.given.get(node, [()]), node._constants[0]
        return found if not self.changing.isdisjoint(found[-1]) else (subscript(constant), to_expression(constant))

    def value(self, node):
        """Yield the lines that compute a node by its operation; keep its VJPs."""
        source, names = self.sources[node], {}
        for letter, input in zip("ab", node._prev):
            copied = node._op in ("*", "@") and not (input._prev or input.data.flags.c_contiguous)  # as by the engine
            names[letter] = f"{self[input]}.copy()" if copied else self[input]
        if node._op in ("[]", *LOSSES):
            between, alone = self.given(node)
            names |= {"i": self.render_expression(between), "t": self.render_expression(alone)}
            kind = ", float" if node._op == "hinge" else ""
            if node._op != "[]" and (isinstance(alone[0], str) or (kind and not as_it_is(alone[0].data))):
                names["t"] = f"array({names['t']}{kind})"
        if node._op in ("leaky_relu", "normalise"):
            names["n"] = literal(node._constants[0])
        if "{each}" in source.value:
            names["each"] = self[Followed(np.arange(len(node._constants[0])), label="each")]
        names["z"] = self.name(node, node.label)
        yield from (line.format(**names) for line in source.lines)
        yield f"{names['z']} = {source.value.format(**names)}  # {node.shape}"
        yield from (line.format(**names) for line in source.slopes)
        if self.may_refuse(node):
            yield f"if {source.refuses.format(**names)}: raise GuardFailed"
        self.vjps[node] = [vjp.replace("{d}", "{{d}}").format(**names) for vjp in source.vjps]

    def backward(self, leaves):
        """Yield the lines of the backward pass: each gradient is one sum, in the order in which the engine adds."""
        terms = {self.root: ["one"]}
        for node in [each for each in reversed(self.order) if each in self.wanted]:
            alone, d = terms[node], f"d_{self.names[node]}"
            if len(alone) == 1 and not node._prev and SHARES.fullmatch(alone[0]):
                alone = [f"array({alone[0]})"]  # no two leaves share an array
            if alone == ["one"] and not node.shape and node._op in ENDS:
                d = "1.0"
            else:
                yield from summed(d, alone)
            for input, text, vjp in zip(node._prev, self.vjps.get(node, ()), node._vjps):
                if input in self.wanted:
                    term = text.replace("{d}", d).removesuffix(" * 1.0")
                    given = quiet(vjp)(np.zeros(node.shape)).shape  # before it is summed to the input's own
                    term = unbroadcast("one" if term == "1.0" else term, given, input.shape)
                    terms.setdefault(input, []).append(term)
        gradients = ", ".join(f"d_{self[leaf]}" if leaf in terms else f"zeros({leaf.shape})" for leaf in leaves)
        root = f"float({self[self.root]})" if not self.root.shape else f"{self[self.root]}.item()"
        yield f"return {root}, [{gradients}]"


def as_it_is(array):
    """Return whether a Tensor of an array is a copy that may be left out."""
    return isinstance(array, np.ndarray) and array.dtype == float and array.flags.c_contiguous
