"""Whether a number that was typed is the answer, as the step lab decides it, and what it may be instead."""

from autograd import backward_steps, topological_order
from exercises.diagnosis import explain
from exercises.verdict import NOT_YET, PASSED, WRONG, Mistake, Verdict
from figures.labs import asking


def matches(typed, answer):
    """Whether a number is the answer, rounded to the decimals that were typed (0.2403 for 0.240261), at least two."""
    written = repr(float(typed)).lower()
    decimals = 0 if written.endswith(".0") else len(written.split("e")[0].partition(".")[2])
    slack = 0.5 * 10 ** -min(decimals, 4) if decimals >= 2 else 0.00005
    return abs(typed - answer) <= slack + 1e-9 * max(1.0, abs(answer))


def predict(root, **typed):
    """Compare predicted gradients, by label, with those of the graph of `root`: `check.predict(f, x=-4, y=-4, z=3)`.

    A wrong number is answered by the mistakes that give it; if none is known, by a question. No right one is told.
    """
    order = topological_order(root)
    labels = [str(node.label) for node in order if node.label]
    if unknown := [label for label in typed if label not in labels]:
        raise ValueError(f"No node is labelled {unknown[0]!r}. Labels here: {', '.join(labels)}.")
    if any(number is None or number is ... for number in typed.values()):
        return Verdict("prediction", NOT_YET, ("Put a number in place of each `...`, then run the cell again.",))
    strange = [label for label, given in typed.items() if isinstance(given, bool) or not isinstance(given, int | float)]
    if strange:
        said = f"{strange[0]} should be a number such as -4 or 0.2403; it is {typed[strange[0]]!r}."
        return Verdict("prediction", WRONG, (said,))
    steps = {step.input: step for step in backward_steps(root, reset="all") if step.kind == "chain"}  # the last of each
    slopes = {str(node.label): steps[i].after if i in steps else 1.0 for i, node in enumerate(order)}
    missed = {label: number for label, number in typed.items() if not matches(number, slopes[label])}
    if not missed:
        return Verdict("prediction", PASSED, (" ".join(f"{label}.grad is {typed[label]:g}." for label in typed),))
    places = {str(node.label): i for i, node in enumerate(order)}
    found, unknown = {}, []  # found: for each sentence, what it explains: often two numbers show the same mistake
    for label, number in missed.items():
        known = explain(root, steps[places[label]]) if places[label] in steps else ()
        named = [said for value, said in known if matches(number, value)]
        for said in named:
            found.setdefault(said, []).append(f"{label}.grad")
        unknown += [] if named else [label]
    said = ["; ".join(f"{label}.grad is not {number:g}" for label, number in missed.items()) + "."]
    if unknown:  # the one nearest to the root: those further back are made of it
        said.append(question(order, steps, max(unknown, key=places.get)))
    mistakes = [Mistake(", ".join(grads), sentence) for sentence, grads in found.items()]
    return Verdict("prediction", WRONG, tuple(said), mistakes=tuple(mistakes[:2]))


def question(order, steps, label):
    """What to ask somebody whose number for the gradient of the node with this label is one that no mistake gives."""
    place = next(i for i, node in enumerate(order) if str(node.label) == label)
    if place not in steps:
        return f"{label} is the root: how fast does a number change with itself?"
    arrows = sum(input is order[place] for node in order for input in node._prev)
    return f"{label}.grad: {asking.about_gradient(steps[place], arrows)}"
