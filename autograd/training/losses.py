"""Losses: how far predictions are from targets, as one Value."""

import math

from autograd.errors import messages, validation
from autograd.value import Value, as_value


def sum_of_squares(predictions, targets):
    """Return Σ (prediction - target)². Both are lists of n numbers or Values, or of n lists of outputs."""
    return total([(p - t) ** 2 for p, t in pairs(predictions, targets)])


def mean_squares(predictions, targets):
    """Return the mean of (prediction - target)² over all outputs, as torch.nn.MSELoss does."""
    squares = [(p - t) ** 2 for p, t in pairs(predictions, targets)]
    return total(squares) / len(squares)


def half_squares(predictions, targets):
    """Return ½ Σ (prediction - target)², whose derivative is prediction - target."""
    return 0.5 * sum_of_squares(predictions, targets)


def hinge(scores, targets):
    """Return the mean of max(0, 1 - target · score), the max-margin loss. Targets are -1 or 1."""
    terms = []
    for score, target in pairs(scores, targets):
        in_set(target, (-1, 1), "hinge")
        terms.append((1 - target * score).relu())
    return total(terms) / len(terms)


def binary_cross_entropy(probabilities, targets, from_logits=False):
    """Return the mean of -t log p - (1 - t) log(1 - p), in nats. Targets are 0 or 1.

    Predictions are probabilities strictly between 0 and 1 (as torch.nn.BCELoss), or with `from_logits=True` any
    numbers, of which this takes the sigmoid (as torch.nn.BCEWithLogitsLoss): that never overflows.
    """
    validation.flag(from_logits, "from_logits")
    terms = []
    for p, target in pairs(probabilities, targets):
        in_set(target, (0, 1), "binary_cross_entropy")
        if from_logits:
            terms.append(log_one_plus_exp(-p if target.data == 1 else p))
        elif 0 < p.data < 1:
            terms.append(-(p if target.data == 1 else 1 - p).log())
        else:
            raise ValueError(
                f"binary_cross_entropy takes probabilities between 0 and 1, got {messages.named(p)}. "
                "Pass sigmoid outputs, or the numbers before the sigmoid with from_logits=True."
            )
    return total(terms) / len(terms)


def softmax_cross_entropy(logits, targets):
    """Return the mean of -log softmax(row)[target], in nats, as torch.nn.CrossEntropyLoss does.

    logits: n rows of k numbers or Values. targets: n ints below k. Each row's largest number is subtracted first, so
    that exp cannot overflow.
    """
    logits = validation.require_list(logits, "logits")
    if logits and all(isinstance(row, (Value, int, float)) for row in logits):
        raise TypeError(
            "softmax_cross_entropy takes a list of rows of logits, one row for each sample; got one row of "
            f"{len(logits)}. For one sample write softmax_cross_entropy([logits], [target])."
        )
    targets = validation.require_list(targets, "targets")
    same_length(logits, targets)
    terms = []
    for row, target in zip(logits, targets):
        row = [as_value(z) for z in validation.require_list(row, "the logits of a row")]
        if isinstance(target, bool) or not hasattr(target, "__index__") or not 0 <= target < len(row):
            raise ValueError(f"a target is the number of a class, 0 to {len(row) - 1}, got {target!r}.")
        largest = max(z.data for z in row)
        shifted = [z - largest for z in row]
        terms.append(total([z.exp() for z in shifted]).log() - shifted[target])
    return total(terms) / len(terms)


def log_one_plus_exp(z):
    """Return log(1 + e^z), written in two ways so that e is never raised to a large power."""
    return z + (1 + (-z).exp()).log() if z.data > 0 else (1 + z.exp()).log()


def total(values):
    """Return the sum of Values, added from left to right. No zero is added: a loss of one term is that term."""
    first, *rest = values
    for value in rest:
        first = first + value
    return first


def pairs(predictions, targets):
    """Return (prediction, target) pairs of Values, one for each output of each sample."""
    predictions, targets = as_list(predictions, "predictions"), as_list(targets, "targets")
    same_length(predictions, targets)
    found = []
    for p, t in zip(predictions, targets):
        if isinstance(p, (list, tuple)) or isinstance(t, (list, tuple)):
            found += pairs(p, t)
        else:
            found.append((as_value(p), as_value(t)))
    return found


def as_list(things, what):
    """Return a list unchanged, a single prediction or target as a list of one; else raise TypeError, naming `what`."""
    return [things] if isinstance(things, (Value, int, float)) else validation.require_list(things, what)


def same_length(predictions, targets):
    """Raise ValueError unless there is a target for each prediction, and at least one."""
    if len(predictions) != len(targets) or not len(predictions):
        raise ValueError(f"a loss needs a target for each prediction, got {len(predictions)} and {len(targets)}.")


def in_set(target, allowed, loss):
    """Raise ValueError unless a target is one of the numbers that a loss is defined for."""
    if target.data not in allowed or math.isnan(target.data):
        raise ValueError(f"{loss} takes targets {allowed[0]} and {allowed[1]}, got {target.data!r}.")
