"""A learner's function as data: each of its calls, with its arguments and its result.

It serves checks whose tests depend on the answer: the judging process runs them again, on a stand-in that replays the
calls. A result made of Values is recorded as the operations that led to it, and repeated on other arguments.
"""

import contextlib
import functools

from autograd import topological_order
from exercises.teachers.report.serialization import InvalidData, check_list, check_text
from exercises.verdicts.cases import OPERATIONS

MOST = 200  # nodes of a graph, and calls
RAISED = {kind.__name__: kind for kind in (ValueError, ArithmeticError)}


class Recorded:
    """A function that records its calls: {"given": numbers, "made": a number, list of operations, or exception}."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function, self.calls = function, []

    def __call__(self, *given):
        try:
            found = self.function(*given)
        except tuple(RAISED.values()) as fault:
            kind = next(name for name, kind in RAISED.items() if isinstance(fault, kind))
            self.note(given, kind)
            raise
        if type(found).__name__ == "Value":
            self.note(given, made_of(found, given))
        elif hasattr(type(found), "__float__"):
            with contextlib.suppress(Exception):  # then it fails in the check, too
                self.note(given, float(found))
        return found

    def note(self, given, made):
        """Record a call. Calls with dual numbers replay those with Values before them, so they are not recorded."""
        numbers = [getattr(each, "data", each) for each in given]
        if len(self.calls) < MOST and all(type(number) in (int, float) for number in numbers):
            self.calls.append({"given": numbers, "made": made})


def made_of(root, given):
    """Return the operations that led to a node, inputs first: ["argument", which], ["", number] or [op, inputs]."""
    order = topological_order(root)[: MOST + 1]
    places = {id(node): i for i, node in enumerate(order)}
    arguments = {id(each): i for i, each in enumerate(given)}
    made = []
    for node in order:
        if node._prev:
            made.append([str(node._op), [places[id(input)] for input in node._prev]])
        else:
            place = arguments.get(id(node))
            made.append(["", float(node.data)] if place is None else ["argument", place])
    return made


class Replayed:
    """A stand-in for a function: returns the recorded results of the same numbers, in turn; else raises InvalidData."""

    def __init__(self, calls):
        self.calls = {}
        for call in check_list(calls):
            if not isinstance(call, dict) or set(call) != {"given", "made"}:
                raise InvalidData("a call of an unknown form")
            self.calls.setdefault(tuple(map(checked_number, check_list(call["given"]))), []).append(call["made"])

    def __call__(self, *given):
        numbers = tuple(getattr(each, "value", getattr(each, "data", each)) for each in given)
        if not (left := self.calls.get(numbers)):
            raise InvalidData("a call that is not among those that were observed")
        made = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(made, str):
            raise RAISED.get(made, ValueError)
        return made_again(check_list(made), given) if isinstance(made, list) else checked_number(made)


def made_again(steps, given):
    """Repeat these operations on other arguments; return the last result."""
    found = []
    try:
        for op, held in steps[:MOST]:
            if op == "argument":
                found.append(given[held])
            elif op == "":
                found.append(checked_number(held))
            elif check_text(op).startswith("**") and op != "**":
                exponent = float(op[2:])
                found.append(found[held[0]] ** (int(exponent) if exponent.is_integer() else exponent))
            else:
                found.append(OPERATIONS[op](*(found[place] for place in held)))
        return found[-1]
    except (KeyError, IndexError, TypeError) as fault:
        raise InvalidData(f"operations of an unknown form ({type(fault).__name__})") from None


def checked_number(thing):
    """Return a number unchanged; raise InvalidData for anything else."""
    if type(thing) not in (int, float):
        raise InvalidData("something else than a number")
    return thing
