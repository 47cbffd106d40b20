"""A learner's network, built and called level by level, for the checks of neuron, layer and network."""

import copy
import random
from collections import Counter

from autograd import Value
from exercises.judging.vocabulary import AnswerError, any_value, equal_results, has, kind, make_result, stranger, trying
from exercises.tasks.shared.layers import LAYER, NEURON, as_list, asks, mixture, shape_of, use

OLD = 0.25  # the grad of every parameter before a call, which leaves it alone
SAME = "unchanged"


class Tried:
    """A learner's object, its parameters, and all that was done with it so far, as lines of Python."""

    def __init__(self, cls, level, *args):
        self.cls, self.level, self.shape = cls, level, shape_of(*args)
        self.code = f"{cls.__name__}({', '.join(map(str, args))})"
        self.lines, self.answers, self.numbers = [f"{level.name} = {self.code}"], [], ()
        self.passed = set()  # over all right calls with objects of this class: whether inputs included Values
        self.what = self.code  # the last thing that was done, as Python
        self.made = use(cls, cls, *(list(a) if isinstance(a, list) else a for a in args), what=self.code)
        self.layers = level.inside(self.made, self.code)
        self.leaves = self.parameters()
        self.start = [tuple(p.data for p in neuron) for layer in self.layers for neuron in layer]

    def parameters(self):
        """Return the Values that are in it now."""
        return [p for layer in self.level.inside(self.made, self.what) for neuron in layer for p in neuron]

    def case(self):
        return "\n".join(self.lines)

    def structure(self, before=()):
        """Return the TestResult of the new object. before: the code of what was made before it."""
        reads = [{len(neuron) - 1 for neuron in layer} for layer in self.layers]
        found = [("/".join(map(str, sorted(n))) or "0", len(layer)) for n, layer in zip(reads, self.layers)]
        what = "weights" if self.level is NEURON else "(reads, neurons)"
        shape = (what, self.level.format_shape(self.shape), self.level.format_shape(found))
        neurons, count = sum(m for _, m in self.shape), sum((n + 1) * m for n, m in self.shape)
        rows = [
            ("different parameters", str(count), str(len(set(map(id, self.leaves))))),
            ("neurons that start differently", str(neurons), str(len(set(self.start)))),
            ("different numbers at the start", count, len({p for neuron in self.start for p in neuron}), any_value),
        ]
        says, rows = first_wrong(
            (f"Its {self.level.holds} are not the ones the exercise asks for.", [shape]),
            ("It contains the same object more than once.", rows[:1]),
            ("Some of its neurons start with the same numbers.", rows[1:]),
        )
        held = as_list(getattr(self.made, self.level.holds))
        twice = f"one {'Value' if self.level is NEURON else self.level.holds[:-1]}, several times"
        because = twice if rows[0][-1] and len(set(map(id, held))) < len(held) else ()
        return make_result(says, *rows, case="\n".join([*before, *self.lines]), because=because)

    def ask(self, ask):
        """Return the TestResult of one call: its outputs, its side effects, and the gradients that come back."""
        for leaf, number in zip(self.leaves, ask.numbers):
            leaf.data, leaf.grad = number, OLD
        given, luck = ask.given(), random.getstate()
        values = [x for x in given if isinstance(x, Value)]
        numbers = [x.data for x in values]
        comment = ask.described() if ask.numbers != self.numbers else []
        self.lines, self.numbers = [*self.lines, *comment, f"{self.level.name}({ask.source})"], ask.numbers
        self.what = f"{self.code}({ask.source})"
        found = use(self.cls, self.made, given, what=self.what)
        drawn, outputs = random.getstate() != luck, self.outputs(found)
        state = [
            ("its parameters afterwards", SAME, self.changes(ask)),
            ("the inputs afterwards", SAME, SAME if [x.data for x in values] == numbers else "different numbers"),
            ("earlier answers afterwards", SAME, self.earlier()),
        ]
        self.answers.append((found, outputs, [*map(number_in, outputs)]))
        gradients = self.gradients(ask, outputs, given)
        says, rows = first_wrong(
            (f"The output{'s are' if len(ask.outputs) > 1 else ' is'} wrong.", self.results(ask, found, outputs)),
            ("The output is right, but the call changes something that should stay unchanged.", state),
            ("The output is right, but some gradients are wrong.", gradients),
        )
        drawable = bool(says) and self.level is NEURON and isinstance(outputs[0], Value)
        graph = copy.deepcopy(outputs[0]) if drawable else None  # later tests change its leaves
        drawn = drawn and bool(says) and [*map(number_in, self.outputs(self.made(given)))] != self.answers[-1][2]
        because = self.because(outputs, drawn, gradients if says.endswith("some gradients are wrong.") else ())
        self.passed |= set() if says else {bool(values)}
        return make_result(says, *rows, case=self.case(), graph=graph, because=because)

    def outputs(self, found):
        """Return a learner's answer as a list of Values and plain numbers. Raise AnswerError if it is neither."""
        outputs = [found] if is_number(found) or isinstance(found, Value) else as_list(found)
        if outputs is None or (not outputs and self.is_single()):
            wanted = "A Value" if self.is_single() else "A list of Values"
            raise AnswerError(f"Tested: {self.what}.", f"{wanted} was expected; it returns {stranger(found)}.")
        for out in outputs:
            if not is_number(out) and not isinstance(out, Value):
                raise AnswerError(f"Tested: {self.what}.", f"A Value was expected; it contains {stranger(out)}.")
        return outputs

    def is_single(self):
        """Return whether the object is to return one Value, and not a list."""
        return self.level is not LAYER and self.shape[-1][1] == 1

    def results(self, ask, found, outputs):
        count, got = self.shape[-1][1], [*map(number_in, outputs)]
        what = "numbers" if any(map(is_number, outputs)) else "Values"
        right = "a Value" if self.is_single() else f"a list of {count} Values"
        gives = "a Value" if isinstance(found, Value) else "a number"
        if not isinstance(found, Value) and not is_number(found):
            gives = f"a list of {len(outputs)} {what}"
        names = ["output"] if count == 1 else [f"output {j}" for j in range(1, count + 1)]
        row = ("it returns", *(text.replace(" 1 Values", " 1 Value") for text in (right, gives)))
        return [row, *zip(names, ask.outputs, got), ("all outputs", ask.outputs, got, any_value)]

    def changes(self, ask):
        """Say in words what a call did to the parameters."""
        if [p.data for p in self.leaves] != list(ask.numbers):
            return "different numbers"
        return self.identity() if all(p.grad == OLD for p in self.leaves) else "different grads"

    def identity(self):
        """Say in words whether the parameters are still the objects that it began with."""
        return SAME if [*map(id, self.parameters())] == [*map(id, self.leaves)] else "different Values"

    def earlier(self):
        """Say in words what a call did to the answers of the calls before it."""
        now = [self.outputs(found) for found, *_ in self.answers]
        kept = [([*map(id, outs)], [*map(number_in, outs)]) for outs in now]
        return SAME if kept == [([*map(id, outs)], numbers) for _, outs, numbers in self.answers] else "others"

    def gradients(self, ask, outputs, given):
        """Return a row for each parameter, and for each input that is a Value."""
        for p in self.leaves:
            p.grad = 0.0
        root = mixture(outputs)
        if isinstance(root, Value):
            with trying(f"{self.what}, and the backward pass after it"):
                root.backward()
        names, count = list(self.level.names(self.shape)), len(ask.numbers)
        rows = [(f"{name}.grad", slope, p.grad) for name, slope, p in zip(names, ask.slopes, self.leaves)]
        for i, x in enumerate(given):
            if isinstance(x, Value):
                places = [slope for slope, other in zip(ask.slopes[count:], given) if other is x]
                rows.append((f"inputs[{i}].grad", sum(places), x.grad))
        return rows

    def because(self, outputs, drawn, gradients):
        """Name the mistakes that a call shows in its outputs, its use of random numbers, or gradients of 0."""
        if any(map(is_number, outputs)) and len(outputs) == self.shape[-1][1]:
            return ("cut off from the graph",)
        if drawn:
            return ("drawn again at each call",)
        bad = [(name, got) for name, expected, got in gradients if not equal_results(got, expected)]
        if not bad or any(got for _, got in bad):
            return ()
        inputs = [name for name, expected, _ in gradients if name.startswith("inputs") and expected]
        if [name for name, _ in bad] == inputs:
            return () if True in self.passed else ("the inputs are cut off",)
        return () if self.passed else ("cut off from the graph",)

    def try_parameters(self):
        """Return the TestResult of three calls of `parameters()`."""
        method = f"{self.level.name}.parameters()"
        self.what = what = f"{self.code}.parameters()"
        self.lines.append(f"[{method} for _ in range(3)]")
        if not has(self.made, "parameters") or not callable(self.made.parameters):
            raise AnswerError(f"Tested: {what}.", "There is no method `parameters`.")
        calls = [as_list(found := use(self.cls, self.made.parameters, what=what)) for _ in range(3)]
        if calls[0] is None:
            raise AnswerError(f"Tested: {what}.", f"A list of Values was expected; it returns {kind(found)}.")
        lengths = [len(call or ()) for call in calls]
        names = dict(zip(map(id, self.leaves), self.level.names(self.shape)))
        own = [names[id(each)] for each in calls[0] if id(each) in names]
        others, count = [each for each in calls[0] if id(each) not in names], len(names)
        ranks = [
            ("it lists", f"{count} Values", contents(calls[0])),
            ("of which are its own", str(count), str(len(own))),
            ("different ones of these", str(count), str(len(set(own)))),
            ("the length, three times", ", ".join([str(count)] * 3), ", ".join(map(str, lengths))),
            ("its parameters afterwards", SAME, self.identity()),
            in_order(list(names.values()), own),
            ("which", sorted(names.values()), sorted(own), any_value),
        ]
        says, rows = first_wrong(*(("The list of parameters is wrong.", [row]) for row in ranks))
        return make_result(says, *rows, case=self.case(), because=self.because_listed(own, others, lengths))

    def because_listed(self, own, others, lengths):
        """Name the mistake that the list from `parameters()` shows."""
        numbers = {p.data for p in self.leaves}
        if any(as_list(each) is not None for each in others):
            return "lists inside the list"
        if any(map(is_number, others)):
            return "numbers in the list"
        if lengths[0] < lengths[1] < lengths[2]:
            return "longer at each call"
        if others and all(isinstance(each, Value) and not each._prev and each.data in numbers for each in others):
            return "copies of the parameters"
        if len(set(own)) < len(own):
            return "a parameter twice"
        return "the wrong order" if len(own) == len(self.leaves) else ()


def in_order(names, own):
    """Return the row for the first place at which a list of parameters holds the wrong one."""
    i = next((i for i, (name, got) in enumerate(zip(names, own)) if name != got), 0)
    return f"place {i} in the list", names[i], own[i] if own else "none"


def first_wrong(*ranks):
    """Return (the sentence, all rows) of ranks of rows, each rank with the sentence for a wrong row in it.

    Only the first four wrong rows of the first such rank count as wrong: later ranks may merely follow from it.
    """
    said, rows = "", []
    for says, rank in ranks:
        left = 0 if said else 4
        for what, expected, got, *fine in rank:
            if not fine and not equal_results(got, expected) and left:
                said, left, fine = says, left - 1, [False]
            rows.append((what, expected, got, *(fine or [True])))
    return said, rows


def is_number(thing):
    return isinstance(thing, int | float) and not isinstance(thing, bool)


def number_in(out):
    return out.data if isinstance(out, Value) else out


def contents(found):
    """Count what a list holds, in words: "3 Values", "2 Values, 1 list"."""
    counts = Counter("Value" if isinstance(each, Value) else type(each).__name__ for each in found)
    return ", ".join(f"{n} {name}{'s' * (n > 1)}" for name, n in counts.items()) or "nothing"


def tests_of(cls, level, arguments, parts_are_right=None, seed=0):
    """Yield the tests of a learner's class with each of these arguments, and of three objects at a time."""
    before, passed = [], set()
    for args in arguments:
        tried = Tried(cls, level, *args)
        tried.passed = passed
        yield (structure := tried.structure(before))
        before.append(tried.code)
        if structure.is_right:
            if parts_are_right:
                parts_are_right(tried)
            first, *rest = asks(tried.shape, seed)
            yield tried.ask(first)
            yield tried.try_parameters()
            yield from map(tried.ask, rest)
    yield from several(cls, level, *arguments[:3])


def several(cls, level, args, *others):
    """Yield the tests of an object once others exist: one with the same sizes, and some with different sizes."""
    one, *rest = (Tried(cls, level, *each) for each in (args, args, *others))
    one.lines += [other.code for other in rest]
    shared = len({*map(id, one.leaves)} & {id(p) for other in rest for p in other.leaves})
    yield make_result(
        "Objects of the class are not independent of each other.",
        ("parameters that it shares with others", "0", str(shared)),
        ("its parameters afterwards", SAME, one.identity()),
        ("two of the same sizes start", "different", "different" if one.start != rest[0].start else "the same"),
        case=one.case(),
    )
    if one.structure().is_right:
        yield one.ask(asks(one.shape)[0])
        one.lines.append(Tried(cls, level, *others[0]).code)
        yield one.ask(asks(one.shape)[1])


NEURON_FIRST = (
    "Called one by one, its neurons do not return the tanh of their weighted sums. This check supplies a correct "
    "`Neuron`, unless your cell defines one."
)


def neurons_answer(tried, layers):
    """Raise AnswerError unless each neuron of these layers, called by itself, returns tanh of its weighted sum."""
    for layer, neurons in zip(layers, tried.layers):
        for neuron, leaves in zip(layer.neurons, neurons):
            right(neuron, leaves, ((len(leaves) - 1, 1),), tried, NEURON_FIRST)


def right(part, leaves, shape, tried, says):
    """Raise AnswerError unless a part of a learner's object, called by itself with new parameters and inputs, is
    right.
    """
    ask = asks(shape)[0]
    for p, number in zip(leaves, ask.numbers):
        p.data = number
    found = use(tried.cls, part, ask.given(), what=f"{tried.code}, one of its parts called alone")
    outputs = [found] if isinstance(found, Value) else as_list(found) or []
    if not equal_results([*map(number_in, outputs)], ask.outputs):
        raise AnswerError(f"Tested: {tried.code}.", says)
