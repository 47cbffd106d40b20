"""Compare a typed number with the right answer, as the step lab does, and say what a wrong one may be instead."""

import math
import re

from autograd import backward_steps, topological_order
from exercises.content.library import Mistake
from exercises.explaining.hand_errors import explain
from exercises.verdicts.results import NOT_YET, PASSED, WRONG, Verdict
from figures.graph.reader import known_slopes
from figures.passes import questions
from figures.passes.scalar_passes import rebuilt

TOKEN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|\*\*|\S", re.IGNORECASE | re.ASCII)
SIGNS = str.maketrans("−–×·÷", "--**/")  # as people type them
LENGTH, EXPONENT = 80, 1000  # the longest text that is read, and the largest exponent in it
LEAST, MOST = 0.00005, 0.005  # how far off a number may be: the error of rounding to four decimals, and to two


def reading(text):
    """Return (number, how far off it may be) for a number, or for arithmetic such as "0.8556*2" or "(1 - 0.8)/3".

    A factor typed with decimals may be off by half of the last one, and the result accordingly. Nothing is
    passed to `eval`. Raises ValueError with a sentence for anything else. In a page, figures/page/browser/numbers.js
    does the same.
    """
    parts = text.translate(SIGNS).strip()
    if re.search(r"[0-9],[0-9]", parts):
        raise ValueError("A decimal point is a point here, as in 0.5.")
    if len(parts) > LENGTH:
        raise ValueError(f"At most {LENGTH} characters are read here.")
    try:
        left = TOKEN.findall(parts)[::-1]
        value, off = parse_sum(left)
        if left or not math.isfinite(value):
            raise ArithmeticError
    except (ArithmeticError, IndexError, TypeError):  # TypeError: a root of a negative number, which is complex
        some = "Write one such as -4 or 0.2403, or a product such as 0.8*3."
        raise ValueError(f'"{text.strip()}" is not a number. {some}') from None
    if re.fullmatch(r"[-+]?[0-9]*\.[0-9]+", parts):
        off = value and (rounding(parts) or MOST)  # what is typed as 0 is meant as 0
    return value, min(max(off if off == off else 0.0, LEAST), MOST)


def rounding(number):
    """Return how far off a rounded number is, from the decimals typed; 0 if there are none, or only one."""
    decimals = 0 if "e" in number.lower() else len(number.partition(".")[2])
    return 0.5 * 10 ** -min(decimals, 4) if decimals > 1 else 0.0


def parse_sum(left):
    """Return (number, how far off) of a sum, taken from the end of a list of tokens."""
    a, off = multiplied(left)
    while left and left[-1] in "+-":
        sign, (b, other) = left.pop(), multiplied(left)
        a, off = a + b if sign == "+" else a - b, off + other
    return a, off


def multiplied(left):
    """Return (number, how far off) of a product or a quotient, taken in the same way."""
    a, off = signed(left)
    while left and left[-1] in "*/":
        sign, (b, other) = left.pop(), signed(left)
        if sign == "*":
            a, off = a * b, abs(b) * off + abs(a) * other
        else:
            a, off = a / b, (off + abs(a / b) * other) / abs(b)
    return a, off


def signed(left):
    """Return (number, how far off) of a power with plus or minus signs before it, taken in the same way."""
    if left[-1] in "+-":
        sign, (a, off) = left.pop(), signed(left)
        return -a if sign == "-" else a, off
    return raised(left)


def raised(left):
    """Return (number, how far off) of a number or brackets, with its power, taken in the same way."""
    first = left.pop()
    if re.match(r"\.?[0-9]", first):
        a, off = float(first), rounding(first)
    elif first == "(":
        a, off = parse_sum(left)
        if left.pop() != ")":
            raise ArithmeticError
    else:
        raise ArithmeticError
    if not left or left[-1] != "**":
        return a, off
    left.pop()
    n, _ = signed(left)
    if abs(n) > EXPONENT:
        raise ValueError(f"An exponent goes from -{EXPONENT} to {EXPONENT} here.")
    return a**n, off and abs(n * a ** (n - 1)) * off


def matches(typed, answer):
    """Return whether a number, or a text such as "0.8*3", is the answer, rounded to the decimals that were typed.

    0.2403 matches 0.240261, and so does 0.24. A number with a point is read to at least two decimals, because 0.20 is
    0.2 to Python; one without a point is exact.
    """
    text = typed if isinstance(typed, str) else repr(typed) if isinstance(typed, int) else repr(float(typed))
    if not isinstance(typed, str) and not math.isfinite(typed):
        return False
    value, off = reading(text)
    return abs(value - answer) <= off + 1e-9 * max(1.0, abs(answer))


def predict(root, **typed):
    """Compare predicted gradients, by label, with those of the graph of `root`: `check.predict(f, x=-4, y="0.8*3")`.

    A wrong number is answered by the simplest slip that gives it, or by a question, never by the right number. Raises
    ValueError if the local derivatives of another engine's node cannot be read.
    """
    root = root if hasattr(root, "_local") else rebuilt(known_slopes(root))
    order = topological_order(root)
    labels = [str(node.label) for node in order if node.label]
    if unknown := [label for label in typed if label not in labels]:
        raise ValueError(f"No node is labelled {unknown[0]!r}. Labels here: {', '.join(labels)}.")
    if not typed or any(number is None or number is ... for number in typed.values()):
        return Verdict("prediction", NOT_YET, ("Put a number in place of each `...`, then run the cell again.",))
    for label, given in typed.items():
        try:
            if isinstance(given, str):
                reading(given)
            elif isinstance(given, bool) or not isinstance(given, int | float):
                raise ValueError(f"it is {given!r}.")
        except ValueError as fault:
            said = f"{label} should be a number such as -4 or 0.2403, or a text such as '0.8*3': {fault}"
            return Verdict("prediction", WRONG, (said,))
    steps = {step.input: step for step in backward_steps(root, reset="all") if step.kind == "chain"}  # the last of each
    slopes = {str(node.label): steps[i].after if i in steps else 1.0 for i, node in enumerate(order)}
    missed = {label: number for label, number in typed.items() if not matches(number, slopes[label])}
    if not missed:
        said = " ".join(f"{label}.grad is {typed_text(typed[label])}." for label in typed)
        return Verdict("prediction", PASSED, (said,))
    places = {str(node.label): i for i, node in enumerate(order)}
    found, unknown = {}, []  # found: for each sentence, what it explains: often two numbers show the same mistake
    for label, number in missed.items():
        known = explain(root, steps[places[label]]) if places[label] in steps else ()
        named = [said for value, said in known if matches(number, value)][:1]  # the simplest
        named = [said for value, said in of_graph(root, order, label) if matches(number, value)] or named
        for said in named:
            found.setdefault(said, []).append(f"{label}.grad")
        unknown += [] if named else [label]
    said = ["; ".join(f"{label}.grad is not {typed_text(number)}" for label, number in missed.items()) + "."]
    if unknown:  # the one nearest to the root: those further back are made of it
        said.append(question(order, steps, max(unknown, key=places.get)))
    mistakes = [Mistake(", ".join(grads), sentence) for sentence, grads in found.items()]
    return Verdict("prediction", WRONG, tuple(said), mistakes=tuple(mistakes[:2]))


def of_graph(root, order, label):
    """Yield (number, sentence) for other numbers of the graph that are easily taken for the gradient of a node."""
    if [str(node.label) for node in order if node.label] == [label]:
        if root.data not in (0, 1):
            yield root.data, "That is the output, not its slope. How fast does it change with the input?"
        edges = sum(len(node._prev) for node in order)
        if edges > 10:
            yield edges, "That is the number of edges. Each path to the root counts: how many are there?"


def typed_text(typed):
    return typed.strip() if isinstance(typed, str) else f"{typed:g}"


def question(order, steps, label):
    """Return a question about the gradient of the node with this label, for a number that no mistake gives."""
    place = next(i for i, node in enumerate(order) if str(node.label) == label)
    if place not in steps:
        return f"{label} is the root: how fast does a number change with itself?"
    arrows = sum(input is order[place] for node in order for input in node._prev)
    return f"{label}.grad: {questions.about_gradient(steps[place], arrows)}"
