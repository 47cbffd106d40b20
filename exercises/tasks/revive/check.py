"""The check of `revive`: whether most networks learn XOR, and whether only one argument was changed."""

import numpy as np

from autograd.lessons.population import Population
from exercises.judging.vocabulary import (
    AnswerError,
    called,
    function_exercise,
    holding,
    kind,
    make_result,
    short,
    trying,
)

ROWS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
TARGETS = np.array([[0.0], [1.0], [1.0], [0.0]])
SEEDS = 80  # the forty of the lesson, and forty more
STEPS, LOOK = 1000, 100  # of training; after so many of them the check looks whether most are right already
LARGE = 2.0  # a mean size of first weights: that of N(0, 1) is 0.8
SLOW = "alive and too slow"
HUGE = 1000  # parameters of a network that takes too long to be trained in a check


@function_exercise(compares=False, finds=lambda: {"Population": Population}, determinism="own")
def revive(revived):
    """Check that most of the networks from `revived(seeds)` learn XOR in the given loop."""
    for seeds in (range(SEEDS), range(SEEDS, SEEDS + 3)):
        nets, case = population(revived, seeds), f"revived({seeds})"
        row = ("seeds", span(list(seeds)), span(nets.seeds))
        yield make_result("These are not the networks of the given seeds.", row, case=case, because="other seeds")
    nets = population(revived, range(SEEDS))
    weights, parameters = ([each.data.copy() for each in those] for those in (nets.weights, nets.parameters()))
    silent = int((outputs_of(nets) == 0).all(axis=(1, 2)).sum())
    right, steps = learned(nets)
    most = right > len(nets.seeds) / 2
    yield make_result(
        "Most of these networks do not learn XOR.",
        ("0 for every row before training", f"few of {SEEDS}", f"{silent} of {SEEDS}", lambda _: most),
        (
            f"right after {steps:,} steps",
            f"more than {SEEDS // 2} of {SEEDS}",
            f"{right} of {SEEDS}",
            lambda got: int(got.split()[0]) > SEEDS // 2,
        ),
        case=f"revived({range(SEEDS)})",
        because=() if most else reasons(nets, weights),
    )
    others = other_arguments(nets, parameters)
    yield make_result(
        "They learn. But change only one argument, so that you can see which of them it was.",
        ("arguments that differ", "one", ", ".join(others) or "none", lambda got: "," not in got),
        case=f"revived({range(SEEDS)})",
        because="more than one argument",
    )
    return (
        f"{right} of {SEEDS} networks have learned XOR after {steps} steps; {silent} returned 0 for every row at first."
    )


def other_arguments(nets, parameters):
    """Name the arguments that differ from those of the dead networks. parameters: the arrays before training."""
    *hidden, last = nets.activations
    return holding(
        {
            "layers": nets.sizes[1:] != [4, 4, 1],
            "the hidden layers' activation": set(hidden) != {"relu"},
            "the output's activation": last != "relu",
            "the first weights": not are_as_given(parameters, drawn_so(nets).parameters()),
        }
    )


def drawn_so(nets):
    """Return the dead networks of these seeds and sizes."""
    return Population(nets.seeds, nets.sizes[0], nets.sizes[1:], init="uniform_zero_bias")


def are_as_given(arrays, tensors):
    """Return whether arrays from before training are those of the dead networks."""
    return all(np.array_equal(now, then.data) for now, then in zip(arrays, tensors))


def population(revived, seeds):
    """Return a learner's networks for these seeds. Raise AnswerError if they cannot be tried on XOR."""
    what = f"revived({seeds})"
    nets = called(revived, seeds, what=what, returns=object)
    said = ""
    if not isinstance(nets, Population):
        said = f"A Population was expected; it returned {kind(nets)}. Change one argument of the one shown."
    elif (nets.sizes[0], nets.sizes[-1]) != (2, 1):
        said = f"XOR has two inputs and one output; these networks have the sizes {nets.sizes}."
    elif (count := sum(p.data.size for p in nets.parameters()) // len(nets.seeds)) > HUGE:
        said = f"Networks of {count:,} parameters take too long to be trained here. Those of the lesson have 37."
    if said:
        raise AnswerError(f"Tested: {what}.", said)
    return nets


def span(seeds):
    """Return seeds in a few words: "0 to 79" if they follow one another, or the list."""
    in_a_row = seeds == list(range(seeds[0], seeds[0] + len(seeds)))
    return f"{seeds[0]} to {seeds[-1]}" if in_a_row else short(seeds)


def outputs_of(nets):
    with trying("these networks on the four rows"), np.errstate(all="ignore"):
        return nets(ROWS).data


def learned(nets):
    """Train the networks until most have XOR right, or for all STEPS; return (how many have, after how many steps)."""
    steps = right = 0
    while right <= len(nets.seeds) / 2 and steps < STEPS:
        with trying("training these networks"):
            nets.train(ROWS, TARGETS, LOOK, lr=0.1, loss="mean_squares")
        steps += LOOK
        right = int(((outputs_of(nets) > 0.5) == (TARGETS > 0.5)).all(axis=(1, 2)).sum())
    return right, steps


def reasons(nets, weights):
    """Name what failing networks and their first weights show, the surest first."""
    *hidden, last = nets.activations
    as_given = are_as_given(weights, drawn_so(nets).weights)
    found = {
        "no hidden layer": not hidden,
        "no bend anywhere": hidden and {*hidden, last} == {"linear"},
        "no bend before the output": set(hidden) == {"linear"} and last != "linear",
        "all weights of a layer equal": all(np.ptp(w.reshape(len(w), -1), axis=1).max() == 0 for w in weights),
        "relu still on the output": last == "relu",
        "weights too large": np.mean([np.abs(w).mean() for w in weights]) > LARGE,
        SLOW: "sigmoid" in hidden and last != "relu",
        "fewer neurons": sum(nets.sizes[1:-1]) < 8,
    }
    names = holding(found) or ([] if as_given else ["an unlucky initialisation"])
    return names[: names.index(SLOW) or None] if SLOW in names else names  # the names before it are worse than slow
