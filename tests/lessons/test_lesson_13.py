"""Lesson 13: every number in its text is what an instrument reads, or a formula gives."""

import functools
import itertools
import math

import numpy as np
import pytest

import exercises
from autograd.errors.messages import show
from exercises.clinic.instruments import INSTRUMENTS
from exercises.clinic.patients import LESSON as PATIENTS
from exercises.clinic.patients import Patient, consistent, faults, patient
from exercises.clinic.program import PARTS
from exercises.engine_file import check
from exercises.engine_file.trial import template_engine
from exercises.quizzes import quiz_data
from exercises.shelf import library
from tests.notebooks import Lesson, read

LESSON = Lesson("13")
TWELVE = {12: "twelve"}[len(INSTRUMENTS)]
ill = functools.cache(patient)  # their readings are kept


@pytest.fixture(scope="module", autouse=True)
def forgotten():
    """Patients are heavy: they go when the module's tests are over."""
    yield
    ill.cache_clear()


def numbers(key, name):
    """What an instrument reads on a patient, by number or key."""
    return ill(key).read(name).numbers


def left(key, *names):
    """The causes that readings leave."""
    return {faults()[each].cause for each in consistent(ill(key).words(names))}


def test_three_curves_that_stand_still_and_the_healthy_program():
    keys = "tiny_rate", "old_parameters", "all_zero"
    ends = [numbers(key, "curve")["epochs"][-1] for key in keys]
    LESSON.says("All three stand still, at {:.2f}, {:.2f} and {:.2f}.".format(*ends))
    assert [exercises.patient(name).fault.key for name in "ABC"] == [*keys]
    assert repr(exercises.patient("A")).startswith("Program A. ")
    assert all(ill(key).words(["curve"])["course"] == "stands still" for key in ("tiny_rate", "all_zero"))
    a, b, c = (numbers(key, "moved") for key in keys)
    assert 5e-7 < min(a["shares"]) <= max(a["shares"]) < 2e-6
    assert b["shares"] == c["shares"] == [0, 0] and b["biases"] == 0 < c["biases"]
    assert "LR / 50_000" in faults()["tiny_rate"].code
    LESSON.says("A moves by a millionth of its weights", "50,000 times too small")
    assert numbers("all_zero", "gradients")["zeros"] > 0.99  # all but the last biases
    assert len(PARTS) == 8 == len(PATIENTS)
    LESSON.says(*(f"`{part}`" for part in PARTS), "eight patients", f"{TWELVE} instruments")
    found, graph, gradients = (numbers("healthy", name) for name in ("curve", "graph", "gradients"))
    LESSON.says(
        f"The first loss is {found['losses'][0]:.2f}, the mean of the last epoch {found['epochs'][-1]:.4f}",
        f"and {100 * found['test']:.1f} % of the test pictures are right",
        f"{graph['nodes']}, and all {graph['reached']} parameters are reached",
        f"larger than {graph['largest']}",
        f"The loss is {float(graph['loss']):.4f}, not {found['losses'][0]:.2f}: the instrument takes another batch.",
        f"{100 * gradients['zeros']:.0f} % of them are exactly 0",
        f"{sum(p.data.size for p in ill('healthy').program.begin().parameters):,} parameters",
    )
    one, two = gradients["sizes"]
    assert graph["of"] == 4 and 0.4 < one / two < 1


@pytest.mark.long
def test_gradients_fade_eight_rows_by_heart_and_one_small_step():
    found = numbers("vanishing", "gradients")
    assert len(found["sizes"]) == 11 and found["sizes"] == sorted(found["sizes"])
    means = [show(float(np.mean(10 ** np.array(found["logs"][layer])))) for layer in (-1, 0)]
    LESSON.says("the mean size is {} in the last and {} in the first".format(*means))
    shares = [100 * share for share in numbers("healthy", "moved")["shares"]]
    LESSON.says("{:.1f} % of the first layer's weights and {:.1f} % of the second's".format(*shares))
    healthy, twice = (numbers(key, "by_heart")["losses"][-1] for key in ("healthy", "softmax_twice"))
    LESSON.says(f"At {healthy:.4f} and at {twice:.2f}", "even with wrong labels")
    assert f"{twice:.2f}" == f"{math.log(1 + 9 / math.e):.2f}"
    assert ill("shuffled_labels").words(["by_heart"])["memory"] == "learned"
    found = numbers("healthy", "small_step")
    text = "these are {change:.8f} and {expected:.8f}, and the ratio is {ratio:.4f}"
    LESSON.says(text.format(**found).replace("-", "−"))
    keys = "wrong_sign", "old_parameters", "left_out"
    ratios = [round(numbers(key, "small_step")["ratio"] + 0.0, 2) for key in keys]
    LESSON.says("{:g}, {:g} and {:g}".format(*ratios).replace("-", "−"))
    LESSON.says(f"learns well ({100 * numbers('left_out', 'curve')['test']:.1f} % of the test)")


@pytest.mark.parametrize("key", ["healthy", "left_out"])
def test_the_exercises_step_reads_as_the_instrument_does(key):
    """The solution of Exercise 3 on the healthy program and on one whose optimizer lacks a layer."""
    small_step = check.small_step.answers(library.solution("small_step").code)[0]
    run = ill(key).program.begin()
    x, y = run.first_batch()

    def update(lr):
        run.optimizer.lr = lr
        run.program.update(run.layers, run.optimizer)

    def loss_of(rows):
        return run.program.loss(run.layers, x[rows], y[rows])

    found = small_step(run.parameters, loss_of, np.arange(len(y)), update)
    assert found == pytest.approx(numbers(key, "small_step")["ratio"], rel=1e-9)


def test_kept_and_fresh_and_the_other_four():
    assert numbers("healthy", "kept")["ratio"] == pytest.approx(1, abs=1e-12)
    LESSON.says(f"1 and {numbers('no_zero', 'kept')['ratio']:.2f}.")
    units, sheet, rows = (numbers("healthy", name) for name in ("units", "sheet", "rows"))
    assert (units["dead"], units["of"]) == (0, 32) and f"{sheet['near']:.2f}" == f"{sheet['among']:.2f}"
    assert 9.9 < sheet["classes"] < 10 and rows["counted"] == 50
    LESSON.says(f"all {units['different']} differ", f"as far ({sheet['near']:.2f})", "Nearly ten classes")
    LESSON.says(f"all {rows['counted']} rows of a batch count")


def test_patient_1():
    """Its gradients grow by one a pass over the same batch; it is as ill on another engine."""
    cause, curve = ill(1).fault.cause, left(1, "curve")
    assert ill(1).fault.key == "old_parameters" and len(curve) / 2 < len(left(1, "curve", "units")) < len(curve)
    assert {faults()[key].cause for key in ("tiny_rate", "all_zero", "shuffled_labels")} <= curve
    assert left(1, "curve", "moved") == {cause}
    LESSON.says(ill(1).complaint)
    LESSON.says("This curve fits several", "Reading the units would rule out few of these causes", "One cause is left")
    words = [tuple(faults()[key].may("reach")) for key in consistent(ill(1).words(["curve"]))]
    assert len(set(words)) >= 5  # a different answer for nearly each
    run = ill(1).program.begin()
    batch, found = run.first_batch(), []
    for count in range(1, 5):
        run.pass_back(*batch)
        found.append(run.gradients()[0])
        assert found[-1] == pytest.approx(count * found[0], rel=1e-12)
    other = exercises.patient(1, engine=template_engine())
    assert other.engine.name == "my_engine" and other.words(["moved", "kept"]) == ill(1).words(["moved", "kept"])
    assert other.read("kept").numbers["ratio"] == pytest.approx(numbers(1, "kept")["ratio"], rel=1e-9)


@pytest.mark.parametrize("engine", [math, 3, "autograd"])
def test_what_is_no_engine_gets_a_sentence(engine):
    with pytest.raises(TypeError, match="Tensor and softmax_cross_entropy; this one has no Tensor"):
        exercises.patient(1, engine=engine)


def test_a_fault_without_a_symptom():
    """Four of them learn well."""
    sound, curve, off = (
        Patient(None, settings={"LR": 0.005}),
        numbers("no_zero_slow", "curve"),
        numbers("stale", "check"),
    )
    assert ill("no_zero_slow").program.LR == 0.005
    LESSON.says(
        f"{100 * curve['test']:.1f} % of the test is right",
        f"has {100 * sound.read('curve').numbers['test']:.1f} % after ten",
        "goes up and down in long waves",
        f"Kept : fresh is {numbers('no_zero_slow', 'kept')['ratio']:.1f}",
        f"{100 * numbers('stale', 'curve')['test']:.1f} % are right",
        f"They are off by {off['error']:.1e} where the largest slope is {off['largest']:.3f}",
        "Four of this lesson's faults reach 96 % or more",
    )
    assert np.count_nonzero(np.diff(np.sign(np.diff(curve["epochs"])))) >= 2
    assert f"{numbers('healthy', 'check')['error']:.0e}" in ("5e-11", "6e-11")
    assert all(numbers(key, "curve")["test"] >= 0.96 for key in ("no_zero_slow", "stale", "leakage", "left_out"))


def test_the_search_the_protocol_and_the_quizs_numbers():
    """With n of ten that show it, the first of them comes after 11 / (n + 1) on average: counted over all orders."""
    means = [np.mean([min(places) for places in itertools.combinations(range(1, 11), n)]) for n in (1, 2)]
    LESSON.says("takes {:.1f} or {:.1f} presses on average".format(*means))
    table = next(cell.source for cell in read(LESSON.path).cells if "| 1. first loss |" in cell.source).lower()
    titles = "loss", "gradients", "step : weights", "graph", "units", "eight by heart", "one small step"
    assert all(title in table for title in (*titles, "kept : fresh", "gradient check", "data sheet", "row by row"))
    questions = {q["id"]: q for q in quiz_data.load("13")["questions"]}
    assert f"ln 50 is {math.log(50):.2f}" in str(questions["13-first-loss"])
    assert questions["13-small-step"]["number"]["answer"] == -0.0001 / (-1e-4 * 4)
    assert questions["13-kept"]["number"]["answer"] == 3
    for key, classes in (("wrong_axis", 50), ("softmax_twice", 10)):
        assert numbers(key, "curve")["losses"][0] == pytest.approx(math.log(classes), abs=0.1)
