"""The checks, one for each exercise: `check.slope(slope)` says yes, not yet, or what is wrong and why."""

import importlib

from exercises import cells
from exercises.kill_matrix import kill_matrix
from exercises.matching import predict

EXERCISES = {  # the exercises of each lesson, in their order; `exercises/checks/lesson_NN.py` holds their checks
    "00": ("first_answer",),
    "01": ("slope", "choose_h", "forward_passes"),
    "02": ("make_value", "add", "multiply", "constants", "subtract", "divide"),
    "03": ("add_rule", "multiply_rule", "local_derivatives", "neuron_by_hand"),
    "04": ("collect", "equals_is_right", "equals_is_wrong", "used_three_times"),
    "05": ("topological_order", "backward", "deep_order", "breadth_first_fails"),
    "06": ("check_gradients", "dual", "six_tests"),
    "07": ("accumulate", "place_zero_grad", "second_pass"),
    "08": ("neuron", "layer", "mlp", "count_parameters", "reach_all"),
    "09": ("train", "revive", "cross_entropy", "moons", "circle"),
    "10": ("hold_the_range", "relu_vanishes", "sigmoid_survives", "residual_scale"),
}
LESSON_OF = {name: lesson for lesson, names in EXERCISES.items() for name in names}

cells.listen(LESSON_OF)

__all__ = ["kill_matrix", "predict", *LESSON_OF]


def __getattr__(name):
    """The check of an exercise, from the module of its lesson."""
    if name not in LESSON_OF:
        raise AttributeError(f"There is no check named {name!r}. There are: {', '.join(__all__)}.")
    return getattr(importlib.import_module(f"exercises.checks.lesson_{LESSON_OF[name]}"), name)


def __dir__():
    return __all__


def judge(name, *given):
    """What the check of an exercise finds, without a verdict shown, progress noted or a part kept.

    A sentence where the answer is right, a Verdict where it is wrong; Unfinished, Trouble and TimeUp are raised.
    """
    return __getattr__(name).judge(*given)
