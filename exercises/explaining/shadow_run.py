"""Compute an expression twice, with a learner's class and with autograd, to find where they first differ."""

import operator
from types import SimpleNamespace

import autograd
from autograd.errors.messages import show
from exercises.explaining.reference_graph import alike, as_number

BINARY = ("add", "sub", "mul", "truediv", "pow")
SIGN = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "neg": "-"}


class ResultsDiffer(Exception):
    """An operation of the learner's class gives a wrong number."""

    def __init__(self, words, got, right, line):
        super().__init__(words)
        self.words, self.got, self.right, self.line = words, got, right, line


class ShadowedValue:
    """A node of the learner's class and the autograd Value that it should be; every operation is done on both."""

    def __init__(self, own, right, watch):
        self.own, self.right, self.watch = own, right, watch

    @property
    def data(self):
        return self.right.data

    def __float__(self):
        return float(self.right.data)

    def done(self, run, words, *others):
        """Return the result of an operation on both; raise Differs if the learner's number is wrong."""
        pairs = [each if isinstance(each, ShadowedValue) else SimpleNamespace(own=each, right=each) for each in others]
        right = run(*(each.right for each in pairs))
        begins, known = len(self.watch.noted), set(self.watch.made)
        own = run(*(each.own for each in pairs))
        data = getattr(own, "data", own)
        made = () if id(own) in known else self.watch.made.get(id(own), ())
        number = as_number(data)
        if number is None or not alike(number, right.data):
            if not made and begins < len(self.watch.noted):
                made = (self.watch.noted[-1][3],)
            raise ResultsDiffer(words, data, right.data, made[-1] if made else None)
        kept = known_inputs(own, known)
        for each in others:
            if isinstance(each, ShadowedValue) and id(each.own) not in kept:
                self.watch.lost.append((words, name_of(each), recorded_makers(made)))
        for each, other in zip(right._prev, [each for each in pairs if isinstance(each.right, autograd.Value)]):
            if each is other.right:
                self.watch.owns[id(each)] = other.own
        self.watch.owns.setdefault(id(right), own)
        return ShadowedValue(own, right, self.watch)

    def __neg__(self):
        return self.done(operator.neg, f"-{name_of(self)}", self)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        if not hasattr(autograd.Value, name):
            raise AttributeError(
                f"f uses .{name}, which autograd's Value has not. debug computes f with both, so f is made of what "
                "both have: + - * / **, exp(), log(), tanh(), relu(), sigmoid()."
            )

        def method(*args):
            return self.done(lambda x, *rest: getattr(x, name)(*rest), f"{name_of(self)}.{name}()", self, *args)

        return method


def known_inputs(node, known):
    """Return the ids of those `known` nodes that a node is, has as inputs, or reaches through new nodes."""
    found, stack, seen = set(), [node], set()
    while stack:
        each = stack.pop()
        if id(each) in known:
            found.add(id(each))
        elif id(each) not in seen:
            seen.add(id(each))
            stack.extend(getattr(each, "_prev", ()))
    return found


def recorded_makers(made):
    """Return the Line that made a node, outside `__init__`, and the line in f that led to it, if that is another."""
    inner = [line for line in made if line.function not in ("<lambda>", "<module>")]
    inner = [line for line in inner if line.function != "__init__"] or inner
    return tuple(dict.fromkeys((*inner[:1], *inner[-1:])))


def name_of(thing):
    """Return an operand's name in a sentence: its label and its number."""
    label = getattr(getattr(thing, "own", None), "label", "")
    number = show(thing.right.data) if isinstance(thing, ShadowedValue) else show(float(thing))
    return f"{label} ({number})" if label else number


def binary_operator(name, reflected):
    """Return an operator for Both."""
    run, sign = getattr(operator, name), SIGN[name]

    def method(self, other):
        pair = (other, self) if reflected else (self, other)
        return self.done(run, f"{name_of(pair[0])} {sign} {name_of(pair[1])}", *pair)

    return method


def comparison(name):
    """Return a comparison for Both, which uses its right number."""
    run = getattr(operator, name)
    return lambda self, other: run(self.right.data, other.right.data if isinstance(other, ShadowedValue) else other)


for name in ("lt", "le", "gt", "ge"):
    setattr(ShadowedValue, f"__{name}__", comparison(name))


for name in BINARY:
    setattr(ShadowedValue, f"__{name}__", binary_operator(name, False))
    setattr(ShadowedValue, f"__r{name}__", binary_operator(name, True))
