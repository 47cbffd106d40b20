"""The check of `equals_is_wrong`: a function with one gradient that loses a part if every rule uses =."""

from autograd import topological_order
from autograd.errors.messages import show
from exercises.judging.vocabulary import exercise
from exercises.tasks.shared.fan_out import form, place, sharing, trials


@exercise(determinism="calls")
def equals_is_wrong(equals_is_wrong, *, seed):
    """Check that a function of a and b has a right a.grad and a wrong b.grad if every rule uses =."""
    found = trials("equals_is_wrong", equals_is_wrong, ("a", "b"), seed)
    bad = next((trial for trial in found if trial.goes_wrong("b")), None)
    for trial in found:
        says, rows, because = form(trial)
        if trial.goes_wrong("a") and not says:
            how, because = sharing(trial, "a") if bad else ("b.grad is right", "the other way round")
            says = f"With = a.grad is wrong{':' if bad else ', and'} {how}."
        yield trial.seen(says, *rows, trial.row("a"), because=because)
    says = f"With =, both gradients are right at all {len(found)} points: nothing is lost."
    row = "b.grad with =", "wrong somewhere", "wrong somewhere" if bad else "right everywhere"
    yield found[0].seen(says, row, because=() if bad else used_once(found[0]))
    if bad is None:
        return ""
    _, right, left = bad.row("b")
    shorter = " By the way, two operations are enough." if found[0].operations() > 2 else ""
    where = f"At {place(bad.leaves)}, with =, b.grad ends at {show(left)}, where {show(right)} is right"
    return f"{where}; a.grad is right.{shorter}"


def used_once(trial):
    """Name the mistake in a function in which = loses nothing, though b was to fan out."""
    if trial.shared():
        return "what is lost reaches no input"
    powers = [node for node in trial.nodes() if node._op.startswith("**") and node._op != "**-1"]  # which / makes
    is_of_b = any(trial.leaves["b"] in topological_order(node) for node in powers)
    return "a power has one edge" if is_of_b else "no node is used twice"
