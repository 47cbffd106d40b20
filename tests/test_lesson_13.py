"""Lesson 13: every number in its text is what an instrument reads, or a formula gives."""

import math

import numpy as np
import pytest

import exercises
from autograd.messages import show
from exercises.clinic.patients import LESSON, Patient, causes, consistent, faults, patient
from exercises.clinic.program import PARTS
from exercises.engine_file import check
from exercises.engine_file.parts import course_engine
from exercises.quizzes import quiz_data
from exercises.shelf import library
from tests import lessons

PATH = lessons.NOTEBOOKS / "13_debugging_clinic.ipynb"


@pytest.fixture(scope="module")
def ill():
    """Patients by number or key, made once: their readings are kept."""
    made = {}
    return lambda key: made.setdefault(key, patient(key))


def numbers(one, name):
    return one.read(name).numbers


def left(one, *names):
    """The causes that readings leave."""
    return {faults()[key].cause for key in consistent(one.words(names))}


def test_three_curves_that_stand_still(ill, prose):
    last = [numbers(ill(key), "curve")["epochs"][-1] for key in ("tiny_rate", "old_parameters", "all_zero")]
    assert [f"{x:.2f}" for x in last] == ["2.41", "2.42", "2.31"]
    assert "A, B and C stand still: 2.41, 2.42 and 2.31 at the end." in prose
    assert all(ill(key).words(["curve"])["course"] == "stands still" for key in ("tiny_rate", "all_zero"))
    a, b, c = (numbers(ill(key), "moved") for key in ("tiny_rate", "old_parameters", "all_zero"))
    assert 5e-7 < min(a["shares"]) <= max(a["shares"]) < 2e-6 and "A moves by a millionth of its weights" in prose
    assert b["shares"] == c["shares"] == [0, 0] and b["biases"] == 0 < c["biases"]
    assert "LR / 50_000" in faults()["tiny_rate"].code and "50,000 times too small" in prose
    assert numbers(ill("all_zero"), "gradients")["zeros"] > 0.99  # all but the last biases


def test_a_program_has_eight_parts_and_there_are_eight_patients(prose):
    assert all(f"`{part}`" in prose for part in PARTS) and len(PARTS) == 8 == len(LESSON)
    assert "Eight patients lie here" in prose and "Ten instruments" in prose
    assert len(causes()) == 26 and "26 causes are known here" in prose


def test_the_healthy_program(ill, prose):
    found = numbers(ill("healthy"), "curve")
    assert f"{found['losses'][0]:.2f}" == "2.35" and f"{found['epochs'][-1]:.4f}" == "0.0978"
    assert f"{100 * found['test']:.1f}" == "97.2"
    assert "First loss 2.35, at the end 0.0978, and 97.2 % of the test" in prose
    graph = numbers(ill("healthy"), "graph")
    assert (graph["nodes"], graph["reached"], graph["of"], graph["largest"]) == (11, 4, 4, (50, 64))
    assert "11, and all 4 parameters are reached" in prose and "larger than (50, 64)" in prose
    one, two = numbers(ill("healthy"), "gradients")["sizes"]
    assert 0.4 < one / two < 1 and f"{numbers(ill('healthy'), 'gradients')['zeros']:.0%}" == "30%"
    assert "30 % are exactly 0" in prose
    assert sum(p.data.size for p in ill("healthy").program.begin().parameters) == 2410 and "2,410 parameters" in prose


def test_gradients_fade_and_steps_have_a_size(ill, prose):
    found = numbers(ill("vanishing"), "gradients")
    assert len(found["sizes"]) == 11 and found["sizes"] == sorted(found["sizes"])
    means = [show(float(np.mean(10 ** np.array(found["logs"][layer])))) for layer in (0, -1)]
    assert means == ["3.281e-07", "0.0345"]  # what the figure above says
    assert "the mean is 3.281e-07 in the first and 0.0345 in the last" in prose
    shares = numbers(ill("healthy"), "moved")["shares"]
    assert [f"{100 * share:.1f}" for share in shares] == ["5.5", "7.9"] and "5.5 and 7.9 % of the weights" in prose


def test_eight_rows_by_heart(ill, prose):
    healthy, twice = (numbers(ill(key), "by_heart")["losses"][-1] for key in ("healthy", "softmax_twice"))
    assert f"{healthy:.4f}" == "0.0005" and f"{twice:.2f}" == f"{math.log(1 + 9 / math.e):.2f}" == "1.46"
    assert "At 0.0005 and at 1.46" in prose
    assert ill("shuffled_labels").words(["by_heart"])["memory"] == "learned" and "even with wrong labels" in prose


def test_one_small_step(ill, prose):
    found = numbers(ill("healthy"), "small_step")
    assert (f"{found['change']:.8f}", f"{found['expected']:.8f}") == ("-0.00013822", "-0.00013824")
    assert "the loss changes by −0.00013822, and −lr · ‖g‖² is −0.00013824. Their ratio is 0.9999" in prose
    assert f"{found['ratio']:.4f}" == "0.9999"
    keys = ("healthy", "wrong_sign", "old_parameters", "left_out")
    ratios = [round(numbers(ill(key), "small_step")["ratio"] + 0.0, 2) for key in keys]
    assert ratios == [1, -1, 0, 0.62] and "1, −1, 0 and 0.62" in prose
    assert (
        f"{100 * numbers(ill('left_out'), 'curve')['test']:.1f}" == "97.2"
        and "learns well, 97.2 % of the test" in prose
    )


def test_the_exercises_step_reads_as_the_instrument_does(ill):
    """The solution of Exercise 3 on the healthy program and on one whose optimizer lacks a layer."""
    small_step = check.small_step.answers(library.solution("small_step").code)[0]
    for key in ("healthy", "left_out"):
        run = ill(key).program.begin()
        x, y = run.first_batch()

        def update(lr, run=run):
            run.optimizer.lr = lr
            run.program.update(run.layers, run.optimizer)

        found = small_step(
            run.parameters, lambda rows, run=run, x=x, y=y: run.program.loss(run.layers, x[rows], y[rows]),
            np.arange(len(y)), update,
        )  # fmt: skip
        assert found == pytest.approx(numbers(ill(key), "small_step")["ratio"], rel=1e-9)


def test_kept_and_fresh(ill, prose):
    healthy, never = (numbers(ill(key), "kept")["ratio"] for key in ("healthy", "no_zero"))
    assert healthy == pytest.approx(1, abs=1e-12) and f"{never:.2f}" == "2.28" and "1 and 2.28." in prose


def test_the_other_four(ill, prose):
    units, sheet, rows = (numbers(ill("healthy"), name) for name in ("units", "sheet", "rows"))
    assert (units["dead"], units["different"], units["of"]) == (0, 32, 32) and "all 32 differ" in prose
    assert f"{sheet['near']:.2f}" == f"{sheet['among']:.2f}" == "1.03" and "as far away (1.03)" in prose
    assert 9.9 < sheet["classes"] < 10 and "Nearly ten classes" in prose
    assert (f"{max(rows['sizes']):.2f}", f"{rows['median']:.2f}") == ("6.31", "4.42") and rows["counted"] == 50
    assert "The largest gradient of a row is 6.31, the median 4.42, and all 50 rows" in prose


def test_patient_1(ill, prose):
    one = ill(1)
    assert one.fault.key == "old_parameters"
    assert len(left(one, "curve")) == 7 and "this curve leaves seven of them" in prose
    assert {faults()[key].cause for key in ("tiny_rate", "all_zero", "shuffled_labels")} <= left(one, "curve")
    assert len(left(one, "curve", "units")) == 5 and "Units would leave five causes" in prose
    assert left(one, "curve", "moved") == {one.fault.cause} and "Of seven causes one is left" in prose
    words = [faults()[key].may("reach") for key in consistent(one.words(["curve"]))]
    assert len(set(words)) >= 5  # a different answer for nearly each
    assert f"{numbers(one, 'kept')['ratio']:.2f}" == "3.38" and "the ratio is 3.38" in prose


def test_its_gradients_grow_by_one_a_pass_over_the_same_batch(ill):
    run = ill(1).program.begin()
    batch, found = run.first_batch(), []
    for _ in range(4):
        run.pass_back(*batch)
        found.append(run.gradients()[0])
    for count, gradient in enumerate(found, start=1):
        assert gradient == pytest.approx(count * found[0], rel=1e-12)


def test_patient_1_is_as_ill_on_another_engine(ill):
    other = exercises.patient(1, engine=course_engine())
    assert other.engine.name == "my_engine"
    assert other.words(["moved", "kept"]) == ill(1).words(["moved", "kept"])
    assert numbers(other, "kept")["ratio"] == pytest.approx(numbers(ill(1), "kept")["ratio"], rel=1e-9)


@pytest.mark.parametrize("engine", [math, 3, "autograd"])
def test_what_is_no_engine_gets_a_sentence(engine):
    with pytest.raises(TypeError, match="Tensor and softmax_cross_entropy; this one has no Tensor"):
        exercises.patient(1, engine=engine)


def test_a_fault_without_a_symptom(ill, prose):
    slow, sound = ill("no_zero_slow"), Patient(None, settings={"LR": 0.005})
    assert slow.program.LR == 0.005
    shares = [f"{100 * numbers(one, 'curve')['test']:.1f}" for one in (slow, sound)]
    assert shares == ["96.7", "47.6"] and "96.7 % of the test is right" in prose and "has 47.6 % after ten" in prose
    epochs = numbers(slow, "curve")["epochs"]
    turns = np.diff(np.sign(np.diff(epochs)))
    assert np.count_nonzero(turns) >= 2 and "goes up and down in long waves" in prose
    assert f"{numbers(slow, 'kept')['ratio']:.1f}" == "3.2" and "Kept : fresh is 3.2" in prose
    stale = ill("stale")
    assert f"{100 * numbers(stale, 'curve')['test']:.1f}" == "97.0" and "97.0 % are right" in prose
    off = numbers(stale, "check")
    assert (f"{off['error']:.1e}", f"{off['largest']:.3f}") == ("9.8e-05", "0.218")
    assert f"{numbers(ill('healthy'), 'check')['error']:.0e}" in ("5e-11", "6e-11")
    assert "They are off by 9.8e-05 where the largest slope is 0.218" in prose


def test_four_faults_learn_well(ill, prose):
    found = {key: numbers(ill(key), "curve")["test"] for key in ("no_zero_slow", "stale", "leakage", "left_out")}
    assert min(found.values()) >= 0.96 and "Four of this lesson's faults reach 96 % or more" in prose


def test_a_random_search_needs_so_many_instruments(prose):
    """With n of ten that show it, the first of them comes after 11 / (n + 1) on average: counted over all orders."""
    for n, said in ((1, "5.5"), (2, "3.7")):
        places = [(i, j) for i in range(1, 11) for j in range(1, 11) if (i == j if n == 1 else i < j)]
        assert f"{np.mean([min(place) for place in places]):.1f}" == said
    assert "needs 5.5 or 3.7 of them on average" in prose


def test_the_protocol_names_the_instruments_of_this_clinic(ill):
    table = next(cell.source for cell in lessons.read(PATH).cells if "| 1. first loss |" in cell.source).lower()
    titles = "loss", "gradients", "step : weights", "graph", "units", "eight by heart", "one small step"
    assert all(title in table for title in (*titles, "kept : fresh", "gradient check", "data sheet", "row by row"))


def question(name):
    return next(q for q in quiz_data.load("13")["questions"] if q["id"] == name)


def test_the_quizs_numbers():
    assert f"{math.log(50):.2f}" == "3.91" and "ln 50 is 3.91" in str(question("13-first-loss"))
    assert question("13-small-step")["number"]["answer"] == -0.0001 / (-1e-4 * 4)
    assert question("13-kept")["number"]["answer"] == 3


def test_the_quizs_first_loss_of_a_wrong_axis_and_of_softmax_twice(ill):
    assert numbers(ill("wrong_axis"), "curve")["losses"][0] == pytest.approx(math.log(50), abs=0.1)
    assert numbers(ill("softmax_twice"), "curve")["losses"][0] == pytest.approx(math.log(10), abs=0.1)
