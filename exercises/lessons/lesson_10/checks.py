"""The checks of lesson 10: weights that hold 30 layers, relu made to vanish, sigmoid not; clipping; residual layers."""

import ast
import functools
import math
import random
import string
from collections.abc import Mapping

import numpy as np

from autograd import Value
from autograd.lessons.depth import deep_pass
from autograd.messages import show
from autograd.tensor import quiet
from exercises.engine_file.cells import source_of
from exercises.judging.grading import called, exercise, kind, needs_functions, plain, short
from exercises.sandbox.guard import Trouble, Unfinished, trying
from exercises.verdicts.cases import same
from exercises.verdicts.seen import equal, seen
from figures.training.deep import LEAST, MOST, SEEDS, left, mean_gain, verdict


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


# Exercise 1: how far the weights of 30 layers of tanh spread

DEPTH = 30


@functools.cache
def widths(seed=0):
    """(width, batch, seeds) of the networks that the weights are tried in: one of a random width among them."""
    return ((32, 32, (0, 1, 2, 3)), (random.Random(seed or 10).randrange(40, 60), 16, (4, 5, 6)), (192, 4, (7,)))


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


@functools.lru_cache(maxsize=100)
def layers_of(spread, width, batch, seeds):
    """(the smallest, the largest) gradient of a layer beside the last layer's, over 30 layers of tanh."""

    def init(rng, n):
        return spread * rng.standard_normal((n, n))

    passes = [deep_pass("tanh", init, depth=DEPTH, width=width, batch=batch, seed=seed) for seed in seeds]
    with np.errstate(all="ignore"):
        ratios = np.array([one.gradient_norms / one.gradient_norms[-1] for one in passes])
        each = np.exp(np.log(ratios).mean(axis=0))
    return float(each.min()), float(each.max())


@exercise
def hold_the_range(hold_the_range, *, seed):
    """Whether weights of this spread keep each of 30 tanh layers' gradients within 0.1 and 10 times the last's."""
    tests, ranges = widths(seed), []
    sizes = [width for width, _, _ in tests]
    found = yield from numbers(hold_the_range, "hold_the_range", sizes, "all weights 0", "a spread below 0")
    because = spread_of(sizes, found, order_of(hold_the_range))
    for (width, batch, seeds), spread in zip(tests, found):
        mean_of = f"{len(seeds)} network{'s' * (len(seeds) > 1)}"
        low, high = layers_of(spread, width, batch, seeds)
        ranges += [low, high]
        yield seen(
            f"With a spread of {written(spread)}, a weights' gain of about {written(math.sqrt(width) * spread)}, the "
            f"gradient {verdict(low if low < LEAST else high)} (mean over {mean_of}).",
            ("smallest layer / last", f"at least {LEAST}", written(low), low >= LEAST),
            ("largest layer / last", f"at most {MOST:g}", written(high), high <= MOST),
            case="init = lambda rng, n: hold_the_range(n) * rng.standard_normal((n, n))\n"
            f'deep_pass("tanh", init, depth={DEPTH}, width={width})',
            because=because,
        )
    return (
        f"At widths {', '.join(map(str, sizes))} every layer's gradient is {written(min(ranges))} to "
        f"{written(max(ranges))} times the last one's, a mean over {sum(len(seeds) for *_, seeds in tests)} networks."
    )


def spread_of(sizes, found, order=""):
    """The names of what is wrong with spreads that go with a power of fan_in. order: as `order_of` tells it."""
    p = power(sizes, found) if usable(found) else None
    if p is None or p == -0.5:
        return () if p is None else near_xaviers(found[0] * math.sqrt(sizes[0]))
    if p >= 0:
        return "upside down" if p else "one number for every width"
    if p == -1:
        is_half = order == POWER_FIRST and same(found[0] * sizes[0], 0.5)
        return POWER_FIRST if is_half else "the variance in place of its root"
    return "another root" if p > -0.5 else "a power in place of the root"


def near_xaviers(gain):
    """The name of what is wrong with a weights' gain that is one number at every width."""
    if same(gain, math.sqrt(3)):
        return "the limit in place of the spread"
    if same(gain, math.sqrt(1 / 3)):
        return "the spread of numbers from ±1/√fan_in"
    return "weights too small" if gain < 1 else "weights too large"


# Exercise 2: a gain with which relu vanishes

VANISHED, GONE = 1e-6, 1e-12  # the ratio asked for lies between


@functools.cache
def depths(seed=0):
    """(depth, seeds) of the networks: shallow, deep, and two of a random depth."""
    rng = random.Random(seed or 11)
    return tuple((depth, (0, 1, 2)) for depth in (12, 4, rng.randrange(6, 11), rng.randrange(16, 25), 30))


FEWEST = (3, (0, 1, 2)), (2, (0, 1, 2))  # layers, asked for last: a wrong formula may divide by 0 there


@functools.lru_cache(maxsize=100)
def relu_ratio(gain, depth, seeds):
    """first / last of relu networks of this depth, whose weights are He's times a gain."""
    return first_over_last([deep_pass("relu", "he", gain=gain, depth=depth, seed=seed) for seed in seeds])


@exercise
def relu_vanishes(relu_vanishes, *, seed):
    """Whether He's weights times this gain make first / last lie between 1e-12 and 1e-6 at each depth."""
    layers, gains, ratios = [], [], []
    for tests in (depths(seed), FEWEST):
        asked = [depth for depth, _ in tests]
        found = yield from numbers(relu_vanishes, "relu_vanishes", asked, "all weights 0")
        layers, gains = layers + asked, [*gains, *found]
        because = gain_of(layers, gains, order_of(relu_vanishes))
        for (depth, seeds), gain in zip(tests, found):
            ratios.append(ratio := relu_ratio(gain, depth, seeds))
            right = "above 1e-12" if ratio <= GONE else "below 1e-06"
            yield seen(
                f"With a gain of {written(gain)} the gradient {became(ratio)}.",
                (f"first / last, mean of {len(seeds)} seeds", right, written(ratio), GONE < ratio < VANISHED),
                case=f'deep_pass("relu", "he", gain=relu_vanishes({depth}), depth={depth}).ratio',
                because=because,
            )
    deepest = max(layers)
    return (
        f"At depths {', '.join(map(str, sorted(layers)))} first / last is {written(min(ratios))} to "
        f"{written(max(ratios))}. At {deepest} layers He's weights times {written(gains[layers.index(deepest)])} "
        "are enough."
    )


def became(ratio):
    """What became of the gradient, in words."""
    if not math.isfinite(ratio):
        return "is too large for a float"
    return "is as good as gone" if ratio <= GONE else "explodes" if ratio > MOST else "does not vanish"


def gain_of(layers, found, order=""):
    """The names of what is wrong with gains that go with the depth, or with the number of steps, in a simple way.

    order: as `order_of` tells it.
    """
    if not usable(found):
        return ()
    gain, logs = abs(found[0]), [log_of(one) for one in found]
    if is_bare(layers, found):
        return "no brackets at all"
    if power(layers, found) == 0:
        return one_gain(gain) if all(math.isclose(one, found[0], rel_tol=1e-13) for one in found) else ()
    for times in ([depth - 1 for depth in layers], layers):
        if all(same(log * n, logs[0] * times[0]) for log, n in zip(logs, times)):
            exponent = logs[0] * times[0] / math.log(10)
            return "the steps miscounted" if times is layers and -11.5 < exponent < -6.5 else aims_at(exponent)
        if all(same(log / n, logs[0] / times[0]) for log, n in zip(logs, times)):
            return "the power taken twice"
        if power(times, found) == -1 and found[0] > 0:
            return POWER_FIRST if order == POWER_FIRST else "divided by the steps"
    return ()


def is_bare(layers, found):
    """Whether each gain is a tiny number divided by the depth, less 1."""
    shares = [(one + 1) * depth for depth, one in zip(layers, found)]
    return 0 < shares[0] < 1e-3 and all(math.isclose(share, shares[0], rel_tol=1e-3) for share in shares)


def one_gain(gain):
    """The name of what is wrong with a gain of this size at every depth."""
    if gain >= 1:
        return "a gain that enlarges" if gain > 1 else "a gain that changes nothing"
    return "the whole factor in one step" if gain <= 1e-5 else "one gain for every depth"


def aims_at(exponent):
    """The name of what is wrong with the root of this power of ten."""
    if exponent > 0:
        return "a gain that enlarges"
    if same(exponent, -9 * math.log(10)) or same(exponent, -9 / math.log(10)):
        return "the wrong base"
    if min(abs(exponent + 6), abs(exponent + 12)) < 0.5:
        return "on the edge"
    return "not small enough" if exponent > -6 else "too small by far"


# Exercise 3: settings with which sigmoid does not vanish

SETTINGS = ("init", "gain", "residual", "residual_scale")
NOT_OPEN = dict.fromkeys(("depth", "width", "batch"), "another size") | {
    "activation": "another activation",
    "seed": "one seed",
}
SIGMOID_DEPTHS = (12, 20)
GIVEN = {"depth": SIGMOID_DEPTHS, "width": (32,), "activation": ("sigmoid",)}
STILL = 1e-6  # a layer whose outputs differ by less, from sample to sample, does nothing


@exercise(compares=False)
def sigmoid_survives(sigmoid_survives):
    """Whether these settings of deep_pass keep first / last of 12 and of 20 sigmoid layers within 0.1 and 10."""
    settings = settings_of(sigmoid_survives)
    tests = [setting(name, value) for name, value in settings.items()]
    yield from tests
    if not all(test.is_right for test in tests):
        return None
    found = [(depth, passes := networks(settings, depth), first_over_last(passes)) for depth in SIGMOID_DEPTHS]
    for depth, passes, ratio in found:
        only_12 = arrives(found[0][2]) and not passes[0].residual
        yield seen(
            outcome(passes, depth, ratio),
            (f"first / last, mean of {len(SEEDS)} seeds", f"{LEAST} to {MOST:g}", written(ratio), arrives(ratio)),
            case=f'{written_out(settings)}\ndeep_pass("sigmoid", **settings, depth={depth}).ratio',
            because="enough for 12 layers only" if only_12 else reason(passes, ratio),
        )
    yield seen(
        "The gradient arrives, but no layer does anything: each gives the same, whatever comes in.",
        ("what a layer gives", "depends on what comes in", "the same for every sample", moves(passes)),
        case=written_out(settings),
        because="layers that do nothing",
    )
    weights, slopes = gains(passes)
    how = "the way around each layer" if passes[0].residual else f"{written(weights)} against {written(slopes)} a step"
    return f"First / last is {written(ratio)} at {depth} layers, a mean over {len(passes)} networks: {how}."


def arrives(ratio):
    """Whether a gradient has arrived, as the microscope judges."""
    return verdict(ratio) == "arrives"


def settings_of(given):
    """A learner's settings as a dict, if that is what they are and each has been chosen."""
    if not isinstance(given, Mapping):
        raise Trouble("Tested: your settings.", f"A dict of settings was expected; this is {kind(given)}.")
    if any(value is ... for value in given.values()):
        raise Unfinished("Put a setting in place of each `...`, then run both cells again.")
    for name in (name for name, value in given.items() if value is None):
        raise Trouble(
            "Tested: your settings.", f"{short(name)} is None, which is no setting. Choose one, or leave it out."
        )
    return dict(given)


def setting(name, value):
    """What is seen of one setting: whether it is open, and can be this. What else is wrong, deep_pass itself says."""
    if name not in SETTINGS:
        why = () if any(value is one or value == one for one in GIVEN.get(name, ())) else NOT_OPEN.get(name, ())
        row = ("settings that are open", ", ".join(SETTINGS), short(name))
        return seen(f"{short(name)} is not one of the settings that are open.", row, because=why)
    is_text = isinstance(value, str)
    is_switch = isinstance(value, bool | np.bool_) or (isinstance(value, int) and value in (0, 1))
    fine = is_switch if name == "residual" else name == "init" or is_finite(value)
    wanted = "True or False" if name == "residual" else "a finite number"
    return seen(f"{name!r} is {wanted}.", (name, wanted, short(value), fine), because="in quotes" if is_text else ())


def is_finite(value):
    """Whether something is a finite number."""
    try:
        return math.isfinite(value)
    except (TypeError, ValueError, OverflowError):
        return False


def networks(settings, depth):
    """The DeepPasses of these settings with so many layers, for the seeds of the microscope."""
    with trying("your settings"):
        try:
            return [deep_pass("sigmoid", **settings, depth=depth, seed=seed) for seed in SEEDS]
        except (TypeError, ValueError) as fault:
            if callable(settings.get("init")):
                raise
            raise Trouble(f"deep_pass does not take these settings: {fault}") from None


def written_out(settings):
    """The settings as a line of Python."""
    given = ", ".join(f"{name}={getattr(value, '__name__', repr(value))}" for name, value in settings.items())
    return f"settings = dict({given})"


def gains(passes):
    """(the weights' gain, the activation's gain) of a step back, the mean over networks and steps."""
    return mean_gain([one.weights_gain[1:] for one in passes]), mean_gain([one.activation_gain[:-1] for one in passes])


@quiet
def moves(passes):
    """Whether what a layer gives on depends on the sample that comes in."""
    scales = [one.residual_scale if one.residual else 1.0 for one in passes]
    return any((scale * one.activations).std(axis=1).max() > STILL for scale, one in zip(scales, passes))


def outcome(passes, depth, ratio):
    """What became of the gradient, and of what gains that is the product."""
    silent = sum(left(one) == 0 for one in passes)
    if silent:
        return f"With {depth} layers no gradient arrives at all in {silent} of {len(passes)} networks."
    says = f"With {depth} layers the gradient {verdict(ratio)}."
    if passes[0].residual or not math.isfinite(ratio):
        return says
    weights, slopes = gains(passes)
    each = f"{written(weights)}, the weights' gain, and {written(slopes)}, the sigmoid's"
    return f"{says} A step back multiplies by {each}."


def reason(passes, ratio):
    """The name of the mistake behind a ratio that is out of range."""
    one, (weights, slopes) = passes[0], gains(passes)
    if one.residual:
        return "residual scale 0" if one.residual_scale == 0 else "the way around is outdone"
    if not any(one.pre_activations.any() for one in passes):
        return "all weights 0"
    if ratio > MOST:
        return "too much of it"
    if not weights >= 0.8:
        return "smaller weights" if slopes > 0.2 else "saturated"
    if weights < 1.6:
        return "nothing against the ¼"
    if 3.3 < weights < 4.5:
        return "4 against ¼"
    return "saturated" if slopes < 0.06 or weights > 15 else "not enough yet"


# Exercise 4: clipping by norm

GRADS = (  # (the gradients, the limit)
    ((3.0, 4.0), 1.0),
    ((3.0, 4.0), 10.0),
    ((-6.0, 2.0, 3.0), 3.5),
    ((0.0, 0.0), 1.0),
    ((2e-3, -1e-3, 2e-3), 1e-3),
    ((0.5,), 0.25),
    ((5.0, -12.0), 13.0),
    ((0.3, 0.3, -0.3, 0.3, 0.3), 0.4),
    ((900.0, 0.0, 1200.0), 1.0),
    ((0.6, -0.8), 1.01),
    ((0.6, -0.8), 0.99),
    ((3, 4), 2),
    ((0.1, -0.2, 0.2, 0.0, 1e-3), 0.5),
)
SMALL = 1e-6  # what PyTorch adds to the length, so that it never divides by 0


def gradients(seed):
    """(the gradients, the limit) of each test: random ones with a seed, just above and just below the limit too."""
    rng, made = random.Random(seed), []
    for share in (0.995, 0.5, 1.005, 4, 50) if seed else ():
        grads = tuple(round(rng.uniform(-9, 9), 3) for _ in range(rng.randint(2, 12)))
        made.append((grads, math.hypot(*grads) / share))
    return made or GRADS


def within(now, grad, limit, length):
    """Whether a gradient was scaled as it should be, also with a small number added to the length."""
    most = 1.0 if length <= limit else limit / length
    least = min(1.0, limit / (length + SMALL)) * (1 - 1e-9)
    if not isinstance(now, float) or equal(now, grad * most):
        return isinstance(now, float)
    return grad != 0 and least <= now / grad <= most


@exercise
def clip(clip, *, seed):
    """Whether `clip(parameters, limit)` scales all gradients by one factor where their length is above the limit."""
    needs_functions(clip=clip)
    tests = gradients(seed)
    for grads, limit in tests:
        leaves, names = [Value(1.5 + i) for i in range(len(grads))], string.ascii_lowercase[: len(grads)]
        for leaf, grad in zip(leaves, grads):
            leaf.grad = grad
        length = math.hypot(*grads)
        case = f"{'; '.join(f'{name}.grad = {grad:g}' for name, grad in zip(names, grads))}"
        case = f"{case}\nclip([{', '.join(names)}], {limit:g})"
        got = returned(clip, leaves, limit, what=case.replace("\n", "; "))
        wanted = [grad * limit / length if length > limit else grad for grad in grads]
        left = [plain(getattr(leaf, "grad", None)) for leaf in leaves]
        rows = [
            (f"{n}.grad", a, now, within(now, grad, limit, length))
            for n, a, grad, now in zip(names, wanted, grads, left)
        ]
        rows += [(f"{name}.data", 1.5 + i, plain(leaf.data)) for i, (name, leaf) in enumerate(zip(names, leaves))]
        says = f"The length of the gradient is {show(length)}, and the limit {limit:g}."
        yield seen(says, *rows, ("returned", length, got), case=case)
    return f"Right for {len(tests)} gradients: one factor for all, so the direction stays."


def returned(function, *args, what):
    """What a learner's function returns, as plain data; a stub is "not yet"."""
    with trying(what):
        found = function(*args)
    return "nothing" if found is None or found is ... else plain(found)


# Exercise 5: how much each of L residual layers may add

SAME_LEAST, SAME_MOST = 1.15, 1.4  # first / last, at every depth
OF_SCALES = {  # (p, k): what is wrong with a scale of k times the number of layers to the power of p
    (0, 1.0): "not scaled",
    (-0.5, 1.0): "twice the variance",
    (-0.5, 0.5): "the 2 outside the root",
    (-1, 1.0): "the square forgotten",
    (-1, 0.5): "the root forgotten",
    (-1, 0.25): POWER_FIRST,
    (1, 0.5): LEFT_FIRST,
    (1, 0.707107): LEFT_FIRST,
    (0.5, 0.707107): "brackets missing in the root",
}
OF_ORDER = {POWER_FIRST: POWER_FIRST, LEFT_FIRST: LEFT_FIRST, "brackets missing in the root": LEFT_FIRST}


@functools.cache
def stacks(seed=0):
    """(layers, seeds) of residual networks: shallow and deep, and one of a random depth."""
    return tuple((layers, (0, 1, 2, 3, 4)) for layers in (8, random.Random(seed or 12).randrange(14, 26), 30, 60))


@functools.lru_cache(maxsize=100)
def residual_ratio(scale, layers, seeds):
    """first / last of residual networks without activation, whose layers add `scale` times what they compute."""
    given = {"residual": True, "residual_scale": scale, "depth": layers, "width": 64, "batch": 8}
    return first_over_last([deep_pass("linear", "xavier", **given, seed=seed) for seed in seeds])


@exercise
def residual_scale(residual_scale, *, seed):
    """Whether residual layers scaled so have first / last between 1.15 and 1.4 at every depth."""
    tests = stacks(seed)
    stacked = [layers for layers, _ in tests]
    found = yield from numbers(residual_scale, "residual_scale", stacked, "residual scale 0")
    ratios = [residual_ratio(scale, *test) for scale, test in zip(found, tests)]
    rows = [
        (f"L = {layers}", f"{SAME_LEAST} to {SAME_MOST}", written(ratio), SAME_LEAST <= ratio <= SAME_MOST)
        for layers, ratio in zip(stacked, ratios)
    ]
    case = 's = residual_scale(L)\ndeep_pass("linear", residual=True, residual_scale=s, depth=L).ratio'
    says = "In networks without activation first / last is not what it should be."
    yield seen(says, *rows, case=case, because=scale_of(stacked, found, order_of(residual_scale)))
    at = ", ".join(f"{written(ratio)} at {layers}" for layers, ratio in zip(stacked, ratios))
    return f"First / last is {at} layers: as good as alike."


def scale_of(stacked, found, order=""):
    """The names of what is wrong with scales that go with a power of the number of layers; order as of `order_of`."""
    p = power(stacked, found) if usable(found) else None
    if p is None:
        return ()
    named = OF_SCALES.get((p, round(abs(found[0]) / stacked[0] ** p, 6)))
    if named and order == OF_ORDER.get(named, order):
        return named
    if p >= 0:
        return "upside down" if p else "one scale for every depth"
    return "the number before 1/√L" if p == -0.5 else "less and less" if p < -0.5 else "falling too slowly"
