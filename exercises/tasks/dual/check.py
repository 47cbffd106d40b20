"""The check of `dual`: values and derivatives of random expressions, against the course's own dual numbers."""

import functools
from dataclasses import dataclass

import autograd
from exercises.judging.vocabulary import (
    AnswerError,
    Case,
    NotAttempted,
    answer,
    cases,
    equal_results,
    exercise,
    failed,
    has,
    is_unwritten,
    kind,
    make_result,
    outcome,
)

DUAL_KINDS = "+", "*", "v+n", "v*n", "exp", "tanh"
METHODS = {  # one step each, by the name of its method
    "__add__": ("c", "+", ("a", "b")),
    "__mul__": ("c", "*", ("a", "b")),
    "exp": ("c", "exp", ("a",)),
    "tanh": ("c", "tanh", ("a",)),
}
CONSTANTS = [("c", sign, ("a", n)) for sign in "+*" for n in (2, 0.5, 0, -1)]  # of both kinds of plain number


@dataclass(frozen=True)
class Forward:
    """A Case on dual numbers: `seeds` are the leaves' derivatives; None is left to the class, as for a constant."""

    case: Case
    seeds: tuple

    @property
    def given(self):
        """The arguments of each leaf: its number, and its derivative if it has one."""
        return [(x,) if seed is None else (x, seed) for (_, x), seed in zip(self.case.leaves, self.seeds)]

    def run(self, make):
        """Compute the nodes, by name, on numbers of this class."""
        return self.case.compute([make(*numbers) for numbers in self.given])

    @functools.cached_property
    def answers(self):
        return self.run(autograd.Dual)

    def to_source(self):
        """Return the run as lines of Python."""
        made = ", ".join(f"Dual({', '.join(map(str, numbers))})" for numbers in self.given)
        names = ", ".join(name for name, _ in self.case.leaves)
        return "\n".join([f"{names} = {made}", *self.case.to_source().splitlines()[1:]])


@functools.cache
def forwards(seed=0):
    """Return Forwards: each operation alone, then random expressions, once for every leaf and once for all of them."""
    pair, one = (("a", 0.5), ("b", -1.5)), (("a", 0.5),)
    made = [Forward(Case(pair if "b" in step[2] else one, (step,)), (2.0, 3.0)) for step in METHODS.values()]
    made += [Forward(Case((("a", 3),), (("b", "*", ("a", "a")),)), (1,))]
    made += [Forward(Case(one, (step,)), (2.0,)) for step in CONSTANTS]
    made += [Forward(Case(pair, (METHODS["__mul__"],)), (1.0, None)), Forward(Case(one, (METHODS["tanh"],)), (None,))]
    for case in cases(DUAL_KINDS, 20, 6 + seed):
        n = len(case.leaves)
        made += [Forward(case, tuple(float(i == k) for k in range(n))) for i in range(n)]
        made += [Forward(case, (0.5, -2.0, 3.0)[:n])] if n > 1 else []
    made += [Forward(Case((("a", 0.0),), (METHODS[name],)), (2.0,)) for name in ("exp", "tanh") if seed]
    return [*made, made[0]]


@exercise
def dual(Dual, *, seed):
    """`Dual` carries a derivative through +, *, exp and tanh, for Duals and for plain numbers on the right."""
    if not isinstance(Dual, type):
        raise AnswerError(
            "Tested: dual.", f"The class itself was expected, as in check.dual(Dual); it is {kind(Dual)}."
        )
    made = {name: Case((("a", 0.5), ("b", 2.0)), (step,)).run for name, step in METHODS.items()}
    tests, unwritten = forwards(seed), [n for n, run in made.items() if is_unwritten(run, lambda x: Dual(x, 1.0))]
    if unwritten:
        raise NotAttempted(f"Still to be written: {', '.join(unwritten)}." if len(unwritten) < len(METHODS) else "")
    for test in tests:
        what = "; ".join(test.to_source().splitlines())
        nodes, raised = outcome(what, test.run, Dual)
        if raised:
            yield failed(raised, test.to_source())
            continue
        rows = [row for name, node in nodes.items() for row in rows_of(test, name, pair_of(node, Dual, what))]
        (_, value, got), (_, derivative, slope) = (row for row in rows if row[0].split(".")[0] == test.case.root)
        says = "The result is right, but one of the operands has changed."
        if not equal_results(got, value):
            says = "The value is wrong for this expression."
        elif not equal_results(slope, derivative):
            says = "The value is right, but the derivative is wrong for this expression."
        yield make_result(says, *rows, case=test.to_source(), graph=test.case.graph)
    return (
        f"Right in {len(tests)} runs of {len({test.case for test in tests})} expressions. No nudge was used, so the "
        "derivatives are as exact as the values."
    )


def pair_of(node, Dual, what):
    """Return (value, derivative) of a learner's node. Raise AnswerError if it is not a Dual of this class."""
    node = answer(node, what, object)
    if not isinstance(node, Dual) or not has(node, "value") or not has(node, "derivative"):
        other = " of another class" if type(node).__name__ == Dual.__name__ else ""
        raise AnswerError(f"Tested: {what}.", f"A Dual was expected; it is {kind(node)}{other}.")
    return answer(node.value, f"value in {what}"), answer(node.derivative, f"derivative in {what}")


def rows_of(test, name, found):
    """Yield the rows for the value and derivative of a node; for a leaf, as they are afterwards."""
    when, right = " afterwards" if name in dict(test.case.leaves) else "", test.answers[name]
    yield f"{name}.value{when}", right.value, found[0]
    yield f"{name}.derivative{when}", right.derivative, found[1]
