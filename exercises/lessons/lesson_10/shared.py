"""What the checks of lesson 10 share."""

import ast
import math

from exercises.engine_file.cells import source_of
from exercises.judging.vocabulary import called, equal, same, seen
from figures.training.deep import left, mean_gain


def first_over_last(passes):
    """first / last of these DeepPasses: their geometric mean, as the microscope takes it."""
    return mean_gain([left(one) for one in passes])


def written(number):
    """A ratio in three digits."""
    return f"{number:.3g}"


def numbers(function, name, arguments, zero, below=""):
    """Yield what is seen of the numbers that a learner's function returns, each asked for twice; its value is them.

    zero, below: the names of the mistakes that a 0 is, and a number below 0; "" if that will do.
    """
    found, again = (
        {argument: called(function, argument, what=f"{name}({argument})") for argument in order}
        for order in (arguments, arguments[::-1])
    )
    wanted = "a finite number above 0" if below else "a finite number other than 0"
    for argument, number in found.items():
        because = zero if number == 0 else below if number < 0 and below else ()
        fine = math.isfinite(number) and not because
        twice = equal(again[argument], number)
        yield seen(
            f"{wanted.capitalize()} was expected." if twice else "Asked again, it returned another number.",
            (f"{name}({argument})", wanted, f"{number:.9g}", fine),
            ("asked again", number, again[argument]),
            case=f"{name}({argument})",
            because=because if twice else "another number each time",
        )
    return tuple(found.values())


def usable(found):
    """Whether networks can be made with all these numbers."""
    return all(number and math.isfinite(number) for number in found)


def power(arguments, found):
    """The p for which each of these numbers is k times its argument to the power of p; None where there is none."""
    xs = [math.log(argument / arguments[0]) for argument in arguments]
    logs = [log_of(one) - log_of(found[0]) for one in found]
    p = logs[-1] / xs[-1]
    fits = len({number > 0 for number in found}) == 1 and all(same(log, p * x) for log, x in zip(logs, xs))
    return round(p, 6) + 0.0 if fits else None


def log_of(number):
    """The logarithm of a number's size."""
    return math.log(abs(number))


POWER_FIRST, LEFT_FIRST = "** goes before /", "brackets missing"


def order_of(function):
    """Which order of operations an answer's text may have wrong: it divides a power, or multiplies what it divided."""
    text = source_of([function])
    try:
        nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.BinOp)]
    except SyntaxError:  # a lambda, cut from the middle of a statement
        return POWER_FIRST if "**" in text else ""
    divided = [node.left for node in nodes if isinstance(node.op, ast.Div)]
    if any(isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow) for one in divided for part in ast.walk(one)):
        return POWER_FIRST
    multiplied = [node.left for node in nodes if isinstance(node.op, ast.Mult)]
    return LEFT_FIRST if any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) for one in multiplied) else ""


def gains(passes):
    """(the weights' gain, the activation's gain) of a step back, the mean over networks and steps."""
    return mean_gain([one.weights_gain[1:] for one in passes]), mean_gain([one.activation_gain[:-1] for one in passes])
