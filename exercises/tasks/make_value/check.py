"""The check of `make_value`: the number that each object keeps once all are made, then the printed forms."""

import contextlib
import functools
import io
import random

from exercises.engine_file import parts
from exercises.judging.vocabulary import (
    AnswerError,
    NotAttempted,
    all_right,
    answer,
    called,
    exercise,
    failed_test,
    has,
    holding,
    kind,
    make_result,
    to_plain_data,
    trying,
)
from exercises.tasks.shared.nodes import DIGITS, are_rounded, is_number, member


@exercise(determinism="fewer")
def make_value(Number, *, seed):
    """Write a class that keeps a number and prints it with four decimals."""
    needs_class(Number)
    rng = random.Random(f"make_value {seed}" if seed else 2)
    numbers = [2.5, *(rng.uniform(-99, 99) for _ in range(13)), 2, -3, 0, *(rng.randint(-99, 99) for _ in range(7))]
    numbers += [1.25e-7, -12345.678901]
    made = making(Number, numbers)
    if (yield from all_right(keeping(made, numbers))) and (yield from all_right(remembering(Number))):
        yield from printing(Number, [value for value, _, _ in making(Number, numbers)], numbers)
    return f"It stores all six, and shows {len(numbers)} numbers to four decimals."


def needs_class(Number):
    """Raise AnswerError if the answer is not the class itself, or its work is done by the course's own class."""
    if not isinstance(Number, type):
        raise AnswerError(
            f"Tested: your class. It got {kind(Number)}.", "Pass the class itself: check.make_value(Number)."
        )
    for method in ("__init__", "__repr__"):
        if parts.is_from_course(member(Number, method)):
            raise AnswerError(f"`{method}` of your class comes from the course itself.", "Write your own.")


def making(Number, numbers):
    """Return (value, its `data`, the lines that make it) for each number.

    `data` is read at once and, if it is right, again when the next value is made, so that a shared number shows.
    """
    made = []
    for number in numbers:
        case = f"v = Number({number})"
        value = called(Number, number, what=case, returns=Number)
        if made and made[-1][1] == numbers[len(made) - 1]:
            before, _, lines = made[-1]
            made[-1] = before, to_plain_data(member(before, "data")), f"{lines}\nw = Number({number})"
        made.append((value, to_plain_data(member(value, "data")), case))
    return made


def keeping(made, numbers):
    """Yield the tests of each value's `data`."""
    values, found = [value for value, _, _ in made], [data for _, data, _ in made]
    kept = member(values[0], "__dict__") or {}
    own, has_own, lacks = [*map(to_plain_data, kept.values())], "data" in kept, not has(values[0], "data")
    facts = {
        "kept under another name": lacks and numbers[0] in own,
        "one number for all": is_number(vars(type(values[0])).get("data")) and not has_own,
        "a fixed number": set(found) == {found[0]} != {numbers[-1]} and is_number(member(values[0], "data")),
        "the number itself is rounded": are_rounded(list(zip(found, numbers))),
    }
    says, because = "`data` is not the number that was passed in.", holding(facts)[:1]
    for number, (value, data, case) in zip(numbers, made):
        row = ("v.data", number, data, data == number)
        if not has(value, "data"):
            says, row = f"Number({number}) has no `data`.", ("v.data", number, "nothing")
        yield make_result(says, row, case=f"{case}\nv.data", because=() if row[-1] is True else because)


KEPT = "grad", "_prev", "_op", "label"
DOES_NOTHING = "a function that does nothing"


def remembering(Number):
    """Yield the tests of everything else that leaves and results keep, once each of them has been made."""
    leaf = called(Number, 2.0, what="a = Number(2.0)", returns=object)
    other = called(Number, -3.0, (), "", "b", what='b = Number(-3.0, (), "", "b")', returns=object)
    made = functools.partial(Number, label="e")
    result = called(made, -6.0, (leaf, other), "*", what='e = Number(-6.0, (a, b), "*", label="e")', returns=object)
    unnamed = called(Number, 5.0, (other, leaf), "-", what='f = Number(5.0, (b, a), "-")', returns=object)
    nodes = {id(leaf): "a", id(other): "b"}
    lines = 'a = Number(2.0)\nb = Number(-3.0, (), "", "b")\ne = Number(-6.0, (a, b), "*", label="e")'
    lines += '\nf = Number(5.0, (b, a), "-")'
    right = ("a", leaf, "()", "", ""), ("b", other, "()", "", "b"), ("e", result, "(a, b)", "*", "e")
    right = *right, ("f", unnamed, "(b, a)", "-", "")
    for name, node, prev, *rest in right:
        with trying(f"{name}._backward()"):
            rule = member(node, "_backward")
            did = DOES_NOTHING if callable(rule) else kind(rule)
            if callable(rule):
                rule()
        rows = [
            (f"{name}.grad", 0.0, to_plain_data(member(node, "grad"))),
            (f"{name}._prev", prev, inputs_of(node, nodes)),
        ]
        rows += [(f"{name}.{what}", wanted, member(node, what)) for what, wanted in zip(KEPT[2:], rest)]
        rows += [(f"{name}._backward", DOES_NOTHING, did)]
        missing = [what for what in (*KEPT, "_backward") if not has(node, what)]
        rows = [(what, wanted, "nothing" if what.split(".")[1] in missing else got) for what, wanted, got in rows]
        wrong = f"Missing: {', '.join(missing)}." if missing else "But another attribute is wrong."
        because = ("something is not kept",) if missing else ()
        yield make_result(f"`data` is right. {wrong}", *rows, case=lines, because=because)
    leaves = [called(Number, 2.0, what=f"{name} = Number(2.0)", returns=object) for name in "abcd"]
    nodes = {id(leaf): name for leaf, name in zip(leaves, "abcd")}
    for given in (leaves, leaves[::-1]):  # a set cannot keep both orders
        prev = f"({', '.join(nodes[id(leaf)] for leaf in given)})"
        node = called(Number, 16.0, tuple(given), "*", what=f'v = Number(16.0, {prev}, "*")', returns=object)
        case = f'a, b, c, d = (Number(2.0) for _ in range(4))\nv = Number(16.0, {prev}, "*")'
        yield make_result("The inputs are not stored in order.", ("v._prev", prev, inputs_of(node, nodes)), case=case)


def inputs_of(node, nodes):
    """Return a node's inputs as text, by the names in {id: name}; describe them if they are not a tuple."""
    given = member(node, "_prev")
    return f"({', '.join(nodes.get(id(each), '?') for each in given)})" if isinstance(given, tuple) else kind(given)


def printing(Number, values, numbers):
    """Yield the tests of each value's text, and of one whose number has changed since."""
    try:
        texts = [text_of(value, number) for value, number in zip(values, numbers)]
    except AnswerError as error:
        yield failed_test(error)
        return
    because = slip_in_texts(Number, texts, [f"Value(data={number:.4f})" for number in numbers], numbers)
    for text, number in zip(texts, numbers):
        row = (f"repr(Number({number}))", f"Value(data={number:.4f})", text)
        yield make_result("`__init__` is right. The printed form is different.", row, because=because)
    with contextlib.suppress(Exception):  # a class may forbid it
        values[0].data = 7.25
        row = ("repr(v)", "Value(data=7.2500)", text_of(values[0], 7.25))
        case = f"v = Number({numbers[0]})\nv.data = 7.25\nrepr(v)"
        because = ["printed as it was at first"] if row[2] == texts[0] else []
        yield make_result("`__init__` is right. The printed form is not up to date.", row, case=case, because=because)


def text_of(value, number):
    """Return the text from a learner's `__repr__`; describe anything else. Raise NotAttempted if it is not written."""
    what = f"repr(Number({number}))"
    try:
        with trying(what), contextlib.redirect_stdout(io.StringIO()) as output:
            text = type(value).__repr__(value)
    except NotAttempted:
        raise NotAttempted("`__init__` stores the number. Now write `__repr__`.") from None
    if text is None and output.getvalue():
        return "None, and a string on the screen"
    if type(value).__repr__ is object.__repr__:
        return "<… object at …>"
    return text if isinstance(answer(text, what, object), str) else f"not a string: {kind(text)}"


def slip_in_texts(Number, texts, right, numbers):
    """Name what is wrong with the printed forms, whatever the numbers."""
    pythons, near = Number.__repr__ is object.__repr__, any("repr" in name for name in vars(Number))
    spelled = [text.lower().replace(" ", "") for text in texts] == [text.lower() for text in right]
    decimals = [[f"Value(data={number:.{digits}f})" for number in numbers] for digits in DIGITS if digits not in (4, 6)]
    facts = {
        "`__str__` instead of `__repr__`": pythons and "__str__" in vars(Number) and not near,
        "no `__repr__`": pythons,
        "the braces are printed": "{self" in texts[0],
        "the same string for every number": {*texts} == {texts[0]} != {right[-1]} and texts[0].startswith("Value"),
        "the other class's name": [text.replace("Number(", "Value(", 1) for text in texts] == right,
        "a space or a capital": spelled and texts != right,
        "the wrong number of decimals": texts in decimals,
    }
    return holding(facts)[:1]
