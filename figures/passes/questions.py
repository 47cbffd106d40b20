"""The questions that a lab asks before a step, and those that answer a wrong number that no known mistake gives."""

import math

from autograd.errors.messages import show
from autograd.operations import operation, row_of
from figures.graph.reader import clean

MOST = 6  # predictions that a lab asks for: with more, a learner no longer thinks about each
NAME = 22  # characters of a name in a question


def chosen(steps, most=MOST):
    """Choose the chain steps of a pass to ask for, at most `most`: the first of each kind, then the others in order.

    Steps are of one kind if they go back through the same place of the same operation, and both add to something that
    had arrived before, or neither does. A result that nobody can type, inf or nan, is not asked for.
    """
    steps = [step for step in steps if step.kind == "chain" and math.isfinite(step.after)]
    first = list({kind(step): step for step in reversed(steps)}.values())[::-1]
    rest = [step for step in steps if step not in first]
    return sorted([*first, *rest][:most], key=steps.index)


def kind(step):
    """Return what a step has in common with others that teach the same."""
    half = len(step.inputs) // 2 or 1
    place = min(step.edge // half, 2) if step.op == "weighted_sum" else step.edge if step.op in ("-", "/", "**") else 0
    return operation(step.op), place, step.before != 0


def about_step(step, arrows, turn):
    """Return the question for somebody whose number for the gradient after a chain step is wrong.

    arrows: how many edges leave the step's input. turn: which of them this one is, in the order of the pass.
    """
    name, x = clean(step.name, NAME), clean(step.inputs[step.edge][0], NAME)
    asked = f"{about_slope(step)} And which number is in {name}.grad, to multiply it by?"
    if turn > 1 or step.before:
        asked += f" What was in {x}.grad before, and is it included in your number?"
    elif arrows > 1:
        asked += f" {arrows} arrows leave {x}: which of them does this step use?"
    return asked


def about_gradient(step, arrows):
    """Return the question about the gradient that a node ends with. `step`: the last that adds to it."""
    x = clean(step.inputs[step.edge][0], NAME)
    if arrows > 1:
        return f"How many arrows leave {x}? Find what comes back along each: have you added all of it?"
    return f"{about_slope(step)} And which number is {clean(step.name, NAME)}.grad, to multiply it by?"


def about_slope(step):
    """Return the question about the local derivative along a step's edge, in words that do not give it away."""
    names = [clean(name, NAME) for name, _ in step.inputs]
    name, x, value, op = clean(step.name, NAME), names[step.edge], show(step.inputs[step.edge][1]), step.op
    nudged = f"Raise {x} by 0.01"
    if len(names) == 2 and names[0] == names[1]:
        nudged = f"{x} goes into {name} twice. Raise it by 0.01 in one of the two places"
    if op == "weighted_sum" and step.edge < len(names) - 1:
        half = len(names) // 2
        if step.edge < half:
            return f"{x} is a weight. Which number does it scale?"
        return f"{x} is an input. Which weight scales it?"
    row, other = row_of(op), names[len(names) - 1 - step.edge]
    if row and row.questions:
        asked = {"name": name, "x": x, "value": value, "other": other, "nudged": nudged, "exponent": op[2:] or other}
        return row.questions[step.edge].format(**asked)
    return f"{nudged}. Does {name} rise or fall, and by how much?"
