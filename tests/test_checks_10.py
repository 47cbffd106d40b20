"""The checks of lesson 10: right answers of every kind pass, and wrong ones are told only what is true of them."""

import collections
import fractions
import itertools
import math
import types

import numpy as np
import pytest

from autograd import clip_grad_norm
from autograd.lessons.depth import deep_pass
from exercises.engine_file import check
from exercises.lessons.lesson_10 import shared
from exercises.lessons.lesson_10.sigmoid_survives import check as sigmoid_survives_check
from figures.labs import microscope


def orthogonal(rng, n):
    return 10 * np.linalg.qr(rng.standard_normal((n, n)))[0]


def stored(fan_in, memory={}):  # noqa: B006  a memory that does no harm
    return memory.setdefault(fan_in, 1.2 / math.sqrt(fan_in))


def root_by_halving(depth):
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if math.prod([middle] * (depth - 1)) < 1e-9 else (low, middle)
    return low


def clip_by_hypot(parameters, limit):
    length = math.hypot(*(p.grad for p in parameters))
    for p in parameters if length >= limit else []:
        p.grad = p.grad / length * limit
    return length


def clip_by_min(parameters, limit):
    length = sum(p.grad * p.grad for p in parameters) ** 0.5
    factor = min(1, limit / (length or 1))
    for p in parameters:
        p.grad = factor * p.grad
    return length


def clip_on_arrays(parameters, limit):
    grads = np.array([p.grad for p in parameters])
    length = np.linalg.norm(grads)
    for p, grad in zip(parameters, grads * min(1.0, limit / max(length, 1e-300))):
        p.grad = grad
    return length


RIGHT = {
    "hold_the_range": {
        "Xavier": lambda fan_in: fan_in**-0.5,
        "Xavier, both fans": lambda fan_in: math.sqrt(2 / (fan_in + fan_in)),
        "He": lambda fan_in: math.sqrt(2 / fan_in),
        "1.1": lambda fan_in: 1.1 / math.sqrt(fan_in),
        "a NumPy number": lambda fan_in: np.float64(1.3) / np.sqrt(fan_in),
        "a fraction": lambda fan_in: fractions.Fraction(12, 10 * math.isqrt(fan_in)),
        "with a memory": stored,
        "measured": lambda fan_in: 1.2 / np.random.RandomState(0).randn(4000, fan_in).sum(axis=1).std(),
        "a default": lambda fan_in, gain=1.2: gain / math.sqrt(fan_in),
    },
    "relu_vanishes": {
        "logarithms": lambda depth: math.exp(math.log(1e-9) / (depth - 1)),
        "1e-8": lambda depth: 10 ** (-8 / (depth - 1)),
        "1e-10": lambda depth: 1e-10 ** (1 / (depth - 1)),
        "by halving": root_by_halving,
        "below 0": lambda depth: -(1e-9 ** (1 / (depth - 1))),
        "a NumPy number": lambda depth: np.power(1e-9, 1 / np.arange(1, depth)[-1]),
    },
    "clip": {
        "hypot": clip_by_hypot,
        "by min": clip_by_min,
        "on arrays": clip_on_arrays,
    },
    "sigmoid_survives": {
        "xavier": {"init": "xavier", "gain": 10},
        "xavier 9": {"init": "xavier", "gain": 9.0, "residual": False},
        "he": {"init": "he", "gain": 7},
        "residual": {"init": "xavier", "gain": 1, "residual": True},
        "residual alone": {"residual": True},
        "residual scaled": {"residual": True, "residual_scale": 0.2},
        "a function": {"init": orthogonal},
        "numbers of NumPy": {"init": "normal", "gain": np.float64(2), "residual": np.bool_(False)},
        "0 for False": {"init": "normal", "gain": fractions.Fraction(2), "residual": 0},
        "ordered": collections.OrderedDict(init="normal", gain=2),
        "a mapping": types.MappingProxyType({"init": "normal", "gain": 2.2}),
    },
    "residual_scale": {
        "another root": lambda layers: (2 * layers) ** -0.5,
        "of a half": lambda layers: math.sqrt(0.5 / layers),
        "steps in place of layers": lambda layers: 1 / math.sqrt(2 * (layers - 1)),
        "exact": lambda layers: math.sqrt(math.exp(0.5 / layers) - 1),
        "negative": lambda layers: -1 / math.sqrt(2 * layers),
        "a NumPy number": lambda layers: np.sqrt(np.float32(0.5) / layers),
        "from the growth": lambda layers: math.sqrt(1.65 ** (1 / layers) - 1),
    },
}
CASES = [(name, case, given) for name, cases in RIGHT.items() for case, given in cases.items()]


@pytest.mark.parametrize("name, case, given", CASES, ids=[f"{name}: {case}" for name, case, _ in CASES])
def test_other_right_answers_pass(name, case, given):
    verdict = getattr(check, name)(given)
    assert verdict, verdict


def one_for_all(fan_in, memory=[]):  # noqa: B006  the first width, for ever
    memory.append(fan_in)
    return 1.2 / math.sqrt(memory[0])


def smaller_each_time(argument, calls=itertools.count(1)):  # noqa: B008
    return 1.0 / next(calls)


def scaled(factor):
    """A clip that multiplies each grad by factor(parameters, limit, length)."""

    def clip(parameters, limit):
        length = math.hypot(*(p.grad for p in parameters))
        by = factor(parameters, limit, length)
        for p in parameters:
            p.grad *= by
        return length

    return clip


WRONG = {
    "hold_the_range": {
        "n": (lambda n: n, "upside down"),
        "Xavier's limit": (lambda n: math.sqrt(6 / (n + n)), "the limit in place of the spread"),
        "0.01": (lambda n: 0.01, "one number for every width"),
        "right at the largest width": (lambda n: 1.2 / math.sqrt(192), "one number for every width"),
        "the first width": (one_for_all, "one number for every width"),
        "0.95": (lambda n: 0.95 / math.sqrt(n), "weights too small"),
        "√30 for 30": (lambda n: math.sqrt(30 / n), "weights too large"),
        "a fifth root": (lambda n: n**-0.2, "another root"),
        "a fourth power": (lambda n: 1 / n**4, "a power in place of the root"),
        "half of the variance": (lambda n: n**-1 / 2, "This is what one mistake gives: ** goes before /"),
        "right in all but the widest": (lambda n: 1.2 / math.sqrt(n) if n < 100 else 1, "(mean over 1 network)"),
        "at each call another": (smaller_each_time, "another number each time"),
        "negative": (lambda n: -1 / math.sqrt(n), "A finite number above 0"),
        "nan": (lambda n: math.nan, "A finite number above 0"),
        "a list": (lambda n: [1 / math.sqrt(n)], "A number was expected; it returned a list"),
    },
    "relu_vanishes": {
        "half": (lambda d: 0.5, "one gain for every depth"),
        "L for L - 1": (lambda d: 10 ** (-9 / d), "the steps miscounted"),
        "L for L - 1, other digits": (lambda d: 1e-8 ** (1 / d), "the steps miscounted"),
        "share": (lambda d: 1e-9 / (d - 1), "divided by the steps"),
        "a thousandth": (lambda d: 0.001 / d, "divided by the steps"),
        "on the edge, layers": (lambda d: 1e-6 ** (1 / d), "on the edge"),
        "a power": (lambda d: 0.9**d, "the power taken twice"),
        "half of the digits": (lambda d: 1e-9 ** (0.5 / (d - 1)), "not small enough"),
        "twice the digits": (lambda d: 1e-9 ** (2 / d), "too small by far"),
        "1": (lambda d: 1, "a gain that changes nothing"),
        "-2": (lambda d: -2, "a gain that enlarges"),
        "no brackets, 1e-8": (lambda d: 1e-8**1 / d - 1, "no brackets at all"),
        "too small for floats": (lambda d: 1e-9**d, "is as good as gone"),
        "too large for floats": (lambda d: 1e300, "is too large for a float"),
        "at each call another": (smaller_each_time, "another number each time"),
        "inf": (lambda d: math.inf, "A finite number other than 0"),
    },
    "sigmoid_survives": {
        "he": ({"init": "he", "gain": 1.0}, "nothing against the ¼"),
        "six": ({"gain": 6}, "not enough yet"),
        "seven": ({"gain": 7}, "enough for 12 layers only"),
        "nothing": ({}, "nothing against the ¼"),
        "0 and residual": ({"gain": 0, "residual": True}, "layers that do nothing"),
        "-0.0 and residual": ({"gain": -0.0, "residual": True}, "layers that do nothing"),
        "no weights": ({"init": lambda rng, n: np.zeros((n, n)), "residual": True}, "layers that do nothing"),
        "hardly a scale": ({"residual": True, "residual_scale": 1e-300}, "layers that do nothing"),
        "false in quotes": ({"init": "normal", "gain": 2.0, "residual": "false"}, "in quotes"),
        "no text at all": ({"init": "normal", "gain": 2.0, "residual": ""}, "in quotes"),
        "the lab's scale": ({"residual": True, "residual_scale": "1/√L"}, "in quotes"),
        "neither True nor False": ({"residual": 2}, "'residual' is True or False"),
        "a list for a switch": ({"residual": [True]}, "'residual' is True or False"),
        "nan": ({"gain": math.nan, "residual": True}, "'gain' is a finite number"),
        "too large for floats": ({"init": "normal", "gain": 1e308}, "the gradient is no number"),
        "flat everywhere": ({"init": "normal", "gain": 1e6}, "no gradient arrives at all in 5 of 5 networks"),
        "sigmoid": ({"activation": "sigmoid", "gain": 10}, "'activation' is not one of the settings that are open"),
        "too much, on a way around": ({"init": "xavier", "gain": 8, "residual": True}, "the way around is outdone"),
        "None for a switch": ({"init": "he", "residual": None}, "'residual' is None, which is no setting"),
        "None for weights": ({"init": None, "gain": 2.0}, "'init' is None, which is no setting"),
        "a list for a number": ({"gain": [8]}, "'gain' is a finite number"),
        "a dict for a number": ({"residual": True, "residual_scale": {}}, "'residual_scale' is a finite number"),
        "no such init": ({"init": "glorot"}, "deep_pass does not take these settings: init is one of"),
        "no such setting": ({"std": 1}, "'std' is not one of the settings that are open"),
        "a number for a name": ({1: 2}, "1 is not one of the settings that are open"),
        "a list": ([10], "A dict of settings was expected; this is a list"),
        "a dot left": ({"init": "he", "gain": ...}, "each `...`"),
    },
    "clip": {
        "the package's": (clip_grad_norm, "comes from the course itself"),
        "a text": (lambda ps, limit: "5", "returned: expected 5.0000, got '5'"),
        "an answer called": (5.0, "Pass the function itself"),
        "the limit squared": (
            scaled(lambda ps, limit, n: limit / n**2 if n > limit else 1),
            "a.grad: expected 0.6000, got 0.12",
        ),
        "by the largest": (
            scaled(lambda ps, limit, n: limit / max(abs(p.grad) for p in ps)),
            "expected 0.6000, got 0.7500",
        ),
        "twice": (
            scaled(lambda ps, limit, n: (limit / n) ** 2 if n > limit else 1),
            "a.grad: expected 0.6000, got 0.12",
        ),
        "its sign lost": (
            scaled(lambda ps, limit, n: -limit / n if n > limit else 1),
            "b.grad: expected 0.8000, got -0.8000",
        ),
        "a limit for each": (
            scaled(lambda ps, limit, n: min(1, limit * len(ps) / (n or 1))),
            "expected 0.6000, got 1.2",
        ),
        "forgets an empty gradient": (scaled(lambda ps, limit, n: min(1, limit / n)), "ZeroDivisionError"),
    },
    "residual_scale": {
        "√½": (lambda n: math.sqrt(0.5), "one scale for every depth"),
        "-1": (lambda n: -1, "not scaled"),
        "1.28/√L": (lambda n: 1.28 / math.sqrt(n), "the number before 1/√L"),
        "√e/L": (lambda n: math.sqrt(math.e) / n, "less and less"),
        "1/∜L": (lambda n: n**-0.25, "falling too slowly"),
        "L/100": (lambda n: n / 100, "upside down"),
        "at each call another": (smaller_each_time, "another number each time"),
        "inf": (lambda n: -math.inf, "A finite number other than 0"),
    },
}
MISSES = [(name, case, *pair) for name, cases in WRONG.items() for case, pair in cases.items()]


@pytest.mark.parametrize("name, case, given, said", MISSES, ids=[f"{name}: {case}" for name, case, *_ in MISSES])
def test_wrong_answers_are_explained(name, case, given, said):
    verdict = getattr(check, name)(given)
    assert not verdict and said in verdict.text(), verdict.text()


def test_of_another_function_nothing_is_said_but_what_was_measured():
    """It goes with no power of fan_in and is no known mistake."""
    found = check.hold_the_range(lambda fan_in: 3 / math.sqrt(fan_in + 5))
    assert not found and not found.mistakes
    assert "With a spread of 0.493, a weights' gain of about 2.79, the gradient explodes" in found.text()


def test_the_first_failing_case_shows_what_a_learner_would_see():
    """The ratio beside the code is the one that this code gives, as a mean over seeds."""
    verdict = check.sigmoid_survives({"init": "xavier", "gain": 4.0})
    assert verdict.case.splitlines() == [
        "settings = dict(init='xavier', gain=4.0)",
        'deep_pass("sigmoid", **settings, depth=12).ratio',
    ]
    ratios = [deep_pass("sigmoid", init="xavier", gain=4.0, depth=12, seed=seed).ratio for seed in range(5)]
    assert float(verdict.rows[0][2]) == pytest.approx(math.prod(ratios) ** 0.2, rel=0.01)


def test_no_single_spread_suits_all_widths():
    """The exercise cannot be passed without fan_in."""
    assert not any(check.hold_the_range(lambda n, one=one: one) for one in np.geomspace(0.02, 1, 24))


def test_no_single_gain_suits_all_depths():
    assert not any(check.relu_vanishes(lambda d, one=one: one) for one in np.geomspace(1e-4, 2, 30))


def test_no_single_residual_scale_suits_all_depths():
    assert not any(check.residual_scale(lambda n, one=one: one) for one in np.geomspace(0.01, 1, 24))


def test_a_logarithm_does_not_do_for_the_root():
    """It is near enough at widths of 32 to 128, so a wider network has to tell them apart."""
    assert not any(check.hold_the_range(lambda n, log=log: 1 / log(n)) for log in (math.log, math.log2))


@pytest.mark.parametrize("init", ["xavier", "he", "normal", "fan_in"])
@pytest.mark.parametrize("residual", [False, True])
def test_the_check_and_the_microscope_agree(init, residual):
    """What passes is what the lab calls arriving with 12 and with 20 layers, whichever seed it shows."""
    for place, gain in enumerate((0.5, 1.0, 1.6, 2.0, 2.5, 4.0, 5.8, 6.4, 7.0, 7.7, 8.0, 9.0, 10.0, 14.0, 20.0)):
        settings = {"init": init, "gain": gain, "residual": residual}
        slides = [
            microscope.microscope("sigmoid", **settings, depth=depth, seed=place).slide
            for depth in sigmoid_survives_check.SIGMOID_DEPTHS
        ]
        arrives = ["it arrives." in slide.say for slide in slides]
        assert [slide.judged == "5 seeds: arrives" for slide in slides] == arrives
        assert bool(check.sigmoid_survives(settings)) == all(arrives), settings


@pytest.mark.parametrize(
    "verdict",
    [
        lambda: check.hold_the_range(lambda fan_in: 1 / (fan_in - fan_in)),
        lambda: check.relu_vanishes(lambda depth: undefined),  # noqa: F821
        lambda: check.sigmoid_survives({"init": lambda rng, n: rng.nothing(n)}),
        lambda: check.clip(lambda: 1),
        lambda: check.residual_scale(lambda: 1),
    ],
    ids=list(RIGHT),
)
def test_an_error_in_the_answer_is_told_in_words(verdict):
    found = verdict()
    assert found.state == "wrong" and found.says[0].startswith("Tested: ") and "It raised " in found.says[0]


def test_nothing_is_said_of_an_answer_that_is_not_so():
    near = check.relu_vanishes(lambda depth: 1 + 1e-9 / depth)  # not one gain, no root
    assert not near and "one gain for every depth" not in near.text() and "above 1" not in near.text()
    halved = check.hold_the_range(lambda n: 1 / n**1 / 2)
    assert [mistake.name for mistake in halved.mistakes] == ["** goes before /"]
    around = check.sigmoid_survives({"init": "normal", "gain": 1, "residual": True})
    assert not around and "nearer to 1" not in around.text()
    for given in ({"init": None}, {"residual": None}, {"gain": [8]}):
        assert check.sigmoid_survives(given).state == "wrong" and "`...`" not in check.sigmoid_survives(given).text()


@pytest.mark.parametrize(
    "name, expression, said",
    [
        ("relu_vanishes", "1e-9 / (n - 1)", "divided by the steps"),
        ("relu_vanishes", "1e-9 / n", "divided by the steps"),
        ("relu_vanishes", "1e-8 ** 1 / n", "** goes before /"),
        ("relu_vanishes", "10 ** -9 / (n - 1)", "** goes before /"),
        ("hold_the_range", "0.5 / n", "the variance in place of its root"),
        ("hold_the_range", "1 / n ** 1 / 2", "** goes before /"),
        ("residual_scale", "0.25 / n", "less and less"),
        ("residual_scale", "(2 * n) ** -1 / 2", "** goes before /"),
        ("residual_scale", "0.5 * n", "upside down"),
        ("residual_scale", "1 / 2 * n", "brackets missing"),
    ],
)
def test_the_order_of_operations_is_blamed_only_where_the_text_bears_it_out(name, expression, said):
    checked = getattr(check, name)
    found = checked(*checked.answers(f"def {name}(n):\n    return {expression}\n"))
    assert [mistake.name for mistake in found.mistakes] == [said], found


def test_what_is_missing_is_not_yet():
    assert check.hold_the_range(lambda fan_in: None).state == "not yet"
    assert check.sigmoid_survives({"init": "he", "gain": ...}).state == "not yet"


@pytest.mark.parametrize("p", [-2, -1, -0.5, -1 / 3, 0, 0.5, 1])
@pytest.mark.parametrize("k", [-3, 1e-9, 1, 1e9])
def test_a_power_is_found(p, k):
    assert shared.power((32, 58, 192), [k * n**p for n in (32, 58, 192)]) == round(p, 6)


def test_what_is_no_power_is_not_found():
    for numbers in ([1, 2, 4], [1, -1, 1], [0.1, 0.09, 0.02], [1e-300, 1, 1e300]):
        assert shared.power((32, 58, 192), numbers) is None


CLIP = "def clip(parameters, limit):\n    length = math.hypot(*(p.grad for p in parameters))\n    if {}:\n"
SCALED = "        for p in parameters:\n            p.grad *= {}\n    return length\n"


@pytest.mark.parametrize(
    "condition, factor, state",
    [
        ("limit < length", "limit / (length + 1e-6)", "passed"),
        ("length + 1e-6 > limit", "limit / (length + 1e-6)", "passed"),
        ("length > limit", "limit / (length + 0.01)", "wrong"),
        ("round(length) > limit", "limit / length", "wrong"),
        ("length > 2 * limit", "limit / length", "wrong"),
        ("length < limit", "limit / length", "wrong"),
    ],
)
def test_clip_at_the_limit_and_with_the_small_constant_of_pytorch(condition, factor, state):
    answer = check.clip.answers(CLIP.format(condition) + SCALED.format(factor))
    assert check.clip.judge(*answer).state == state


@pytest.mark.parametrize(
    "name, code, names",
    [
        ("residual_scale", "def residual_scale(n):\n    return (n / 2) ** 0.5", ["upside down"]),
        ("residual_scale", "def residual_scale(n):\n    return (1 / 2 * n) ** 0.5", ["brackets missing in the root"]),
        ("sigmoid_survives", "sigmoid_survives = dict(gain=4.7, width=32)", []),
        ("sigmoid_survives", "sigmoid_survives = dict(gain=4.7, width=31)", ["another size"]),
    ],
)
def test_what_is_seen_is_named_only_where_its_sentence_holds(name, code, names):
    checked = getattr(check, name)
    found = checked(*checked.answers(code))
    assert found.state == "wrong" and [each.name for each in found.mistakes] == names, found
