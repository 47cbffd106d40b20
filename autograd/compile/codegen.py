"""The Python source for a graph: one line for each node forward, and one for each gradient backward."""

import functools
import keyword
import re

from autograd.operations import CALLED, EXPRESSIONS, ROWS, name_of, operation, row_of

RESERVED = {"GuardFailed", "rows", "seed", "losses", "inf", "nan"}
RESERVED |= {*CALLED, "abs", "int", "float", "round"}  # the last four stand in guards
MAY_REFUSE = {operation(row.name) for row in ROWS if row.outside}  # numbers outside their domain
PLACES = re.compile(rf"\bz(?=_)|\b(?:a|b|z|{'|'.join(name_of(each) for row in ROWS for each in row.constants)})\b")
OWN = {*re.findall(r"\bz(_\w+)", EXPRESSIONS)}  # what an operation's own names end with
MOST_TERMS = 100  # in one line: longer sums are slow to compile
LAYER = re.compile(r"b(\d+)\.\d+")  # the label of a bias in an MLP


class GuardFailed(Exception):
    """A comparison came out differently than when the function was recorded."""


class Program:
    """A graph as source.

    made: the nodes in an order in which they can be computed; order: those that the root depends on, in topological
    order. arguments: leaves that each call is given. known: {leaf: an expression for its number}. guards:
    pairs of an expression and the truth that it must have. Any other leaf is a constant. An expression is a tuple of
    nodes and text.
    """

    def __init__(self, made, order, arguments, known, guards):
        self.order, self.known, self.guards, self.root = order, known, guards, order[-1]
        self.made = needed(made, self.root, known, guards)
        self.names = source_names(self.made, arguments, known)
        self.slopes = {}  # {node: its local derivatives as text, "" for 1}
        self.wanted = set(arguments)  # the nodes that depend on an argument
        for node in order:
            if not self.wanted.isdisjoint(node._prev):
                self.wanted.add(node)

    def function(self, arguments):
        """Return the source of a function of these leaves that returns the root and the gradient of each of them."""
        lines = [*self.forward(), "# backward", *self.backward(arguments, {})]
        gradients = ", ".join(f"{self.gradient(leaf)} + 0.0" for leaf in arguments)  # the engine's sums begin at 0
        lines.append(f"return {self.names[self.root]}, [{gradients}]")
        return format_function(f"def program({self.join_names(arguments)}):", lines)

    def loop(self, shared, inputs):
        """Return the source of a function of rows of inputs, the roots' gradient, and leaves that all rows share.

        The function returns the rows' roots, last row first, as `backward` goes, and the gradient of each shared leaf.
        """
        begun = {leaf: [self.gradient(leaf)] for leaf in shared}
        body = [*self.forward(), f"losses.append({self.names[self.root]})", "# backward"]
        body += self.backward(shared, begun, seed="seed")
        lines = [f"{self.gradient(leaf)} = 0.0" for leaf in shared]
        lines += [
            "losses = []",
            f"for [{self.join_names(inputs)}] in reversed(rows):",
            *(f"    {line}" for line in body),
        ]
        lines.append(f"return losses, [{', '.join(map(self.gradient, shared))}]")
        return format_function(f"def program(rows, seed, {self.join_names(shared)}):", lines)

    def forward(self):
        """Yield the lines that compute the nodes, and then the guards."""
        layer = ""
        for node in self.made:
            if begins := layer_of(node, layer):
                layer = begins
                yield f"# layer {layer}"
            if node in self.known:
                yield f"{self.names[node]} = {self.render_expression(self.known[node])}"
            elif node._prev:
                yield from self.value(node)
        for guard, found in self.guards:
            yield f"if {'not ' if found else ''}({self.render_expression(guard)}): raise GuardFailed"

    def value(self, node):
        """Yield the lines that compute a node with inputs; note its local derivatives."""
        out, inputs = self.names[node], [self.names[input] for input in node._prev]
        if node._op == "weighted_sum":
            n = len(inputs) // 2
            ws, xs = inputs[:n], inputs[n : 2 * n]
            self.slopes[node] = (*xs, *ws, "")
            yield from summed(out, [inputs[-1], *(f"{w} * {x}" for w, x in zip(ws, xs))])
            return
        row = row_of(node._op)
        row = to_a_number(row, *node._constants) if row.name == "**n" else row
        names = {"z": out, **dict(zip("ab", inputs))}
        names |= zip(map(name_of, row.constants), map(literal, node._constants))
        *before, value = (template(text).format(**names) for text in (*row.lines, row.value))
        self.slopes[node] = [template(slope).format(**names) for slope in row.slopes]
        yield from before
        yield f"{out} = {value}"

    def backward(self, leaves, terms, seed="1.0"):
        """Yield the lines of the backward pass: each gradient is one sum, in the order in which the engine adds.

        terms: {node: the terms that its sum has already}.
        """
        terms.setdefault(self.root, []).append(seed)
        wanted = self.wanted & {*self.order}
        for node in reversed(self.order):
            if node in wanted:
                yield from summed(self.gradient(node), terms[node])
                for input, slope in zip(node._prev, self.slopes.get(node, ())):
                    if input in wanted:
                        upstream = self.gradient(node)
                        terms.setdefault(input, []).append(f"{slope} * {upstream}" if slope else upstream)
        for leaf in leaves:
            if leaf not in terms:  # the root does not depend on it
                yield f"{self.gradient(leaf)} = 0.0"

    def gradient(self, node):
        """Return the name of a node's gradient."""
        return f"d_{self.names[node]}"

    def join_names(self, nodes):
        """Return the names of nodes, as arguments."""
        return ", ".join(self.names[node] for node in nodes)

    def render_expression(self, expression):
        return "".join(part if isinstance(part, str) else self.names[part] for part in expression)


def needed(made, root, known, guards):
    """Return the nodes on which the root, a guard, or an operation that may refuse depends: older ones, then `made`."""
    found = dict.fromkeys([root, *(node for node in made if operation(node._op) in MAY_REFUSE)])
    found |= dict.fromkeys(node for guard, _ in guards for node in nodes_of(guard))
    for node in reversed(made):
        if node in found:
            found |= dict.fromkeys([*node._prev, *nodes_of(known.get(node, ()))])
    now = set(made)
    return [*(node for node in found if node not in now), *(node for node in made if node in found)]


def nodes_of(expression):
    return [part for part in expression if not isinstance(part, str)]


def format_function(head, lines):
    """Return a function's source."""
    return "\n    ".join([head, *lines]) + "\n"


def literal(x):
    """Return a number as source."""
    return f"({x!r})" if x < 0 or str(x)[0] == "-" else repr(x)


def source_names(made, arguments, known):
    """Return {node: its name in the source}: a constant's number; its label if that is free; or v1, v2, and so on."""
    names, taken, given, constants = {}, {*RESERVED}, {*arguments}, 0
    for i, node in enumerate(dict.fromkeys([*arguments, *made])):
        if not node._prev and node not in given and node not in known:
            names[node], constants = literal(node.data), constants + 1
            continue
        names[node] = name = named_after(node.label, taken) or f"v{i - constants}"
        taken |= {name, *(name + own for own in OWN)}
    return names


def named_after(label, taken):
    """Return a label as a name in the source; "" if it cannot be one, or is taken."""
    name = re.sub(r"\W+", "_", str(label), flags=re.ASCII)
    free = name.isidentifier() and not keyword.iskeyword(name) and name not in taken
    return name if free and not re.match(r"_|d_|v\d", name) else ""


def summed(name, terms):
    """Yield the lines that add up terms from left to right, at most MOST_TERMS in each."""
    yield f"{name} = {' + '.join(terms[:MOST_TERMS])}"
    for i in range(MOST_TERMS, len(terms), MOST_TERMS):
        yield f"{name} = {' + '.join([name, *terms[i : i + MOST_TERMS]])}"


def layer_of(node, before):
    """Return the number of an MLP's layer that begins with this node, by its bias's label; "" if none begins."""
    for input in node._prev:
        found = LAYER.fullmatch(str(input.label))
        if found and found[1] != before:
            return found[1]
    return ""


def to_a_number(row, n):
    """Return the row of a power with this exponent. pow takes roots of -inf; sqrt refuses all that is negative."""
    slope = "0.0" if n == 0 else "(n * a)" if n == 2 else "(n * pow(a, n - 1))"
    return row._replace(slopes=(slope,), lines=("sqrt(a)",) if n % 1 else ())


@functools.cache
def template(text):
    """Return a text of the table with a place for each name: "{z} * {z}_log"."""
    return PLACES.sub(r"{\g<0>}", text)
