"""The checks of diagnoses and repairs: their replies to diagnoses, and how instruments judge repairs.

Answers to the other exercises, right and wrong, are in tests/attempts.
"""

import numpy as np
import pytest

from exercises.clinic import record
from exercises.clinic.patients import causes, faults
from exercises.content import library
from exercises.engine_file import check
from exercises.explaining.catalogue import known_mistakes
from exercises.tasks.diagnoses import check as diagnoses_check
from exercises.tasks.repairs import check as repairs_check
from exercises.tasks.shared import programs as shared


@pytest.fixture
def of_nobody(monkeypatch, tmp_path):
    """Forget what was done with a patient."""
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))


# Diagnoses

RIGHT = check.diagnoses.answers(library.solution("diagnoses").code)[0]


def test_causes_may_be_given_by_sentence_or_key():
    assert check.diagnoses({number: causes()[cause] for number, cause in RIGHT.items()})
    assert check.diagnoses({np.int64(number): f" {cause.upper()}." for number, cause in RIGHT.items()})
    assert check.diagnoses({**RIGHT, 7: "no_zero_slow"})  # the same cause, under other settings


def test_incomplete_diagnoses_are_not_attempted_and_show_progress():
    found = check.diagnoses({4: RIGHT[4], 7: RIGHT[7], 2: ...})
    assert found.state == "not yet" and "Right so far: 4, 7. Still to name: 2, 3, 5, 6, 8." in found.render_text()


def test_wrong_cause_is_answered_by_a_reading():
    found = check.diagnoses({4: "the optimizer is missing some of the parameters"})
    assert found.state == "wrong" and "Sizes, first layer to last: 0, 0, 0.0221" in found.render_text()
    assert "Gradients, sizes of the gradients, would read “even”" in found.render_text()


@pytest.mark.parametrize("number", RIGHT)
def test_wrong_cause_reply_never_names_the_right_one(number):
    for key in ("left_out", "wrong_axis", "other_scale", "stale"):
        said = check.diagnoses({number: key}).render_text()
        assert "would read" in said and RIGHT[number] not in said


@pytest.mark.parametrize("number, key, loss", [(3, "not_scaled", 2.86), (5, "wrong_axis", 3.82)])
def test_first_loss_is_not_called_near_guessing_for_regression(number, key, loss):
    said = check.diagnoses({number: key}).render_text()
    assert f"It reads “usual”. First loss {loss};" in said and "near guessing" not in said


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({1: "no_zero"}, "Its keys should be patient numbers, 2 to 8; got 1."),
        ({"two": "no_zero"}, "got the string 'two'."),
        ({2: 3}, "A cause is a string"),
        ({2: "sorted batches"}, "The list of causes has no 'sorted batches'. The ward shows all of them."),
        ({2: "softmax is used thrice"}, "“softmax is used twice” is spelled most like it"),
        ({2: "the moon"}, "The ward shows all of them."),
        ([1, 2], "it is a list."),
    ],
)
def test_malformed_diagnoses_get_a_message(answer, said):
    found = check.diagnoses(answer)
    assert found.state == "wrong" and said in found.render_text(), found


def test_hasty_diagnoses_are_the_known_mistakes():
    assert {each.mistake.name for each in known_mistakes("diagnoses")} == set(diagnoses_check.MISTAKEN)
    assert {key for keys in diagnoses_check.MISTAKEN.values() for key in keys} <= set(faults())


def test_diagnoses_are_recorded_by_calls_but_not_by_judge(of_nobody):
    check.diagnoses.judge({3: RIGHT[3]})
    assert not record.diagnosed(3)
    check.diagnoses({3: RIGHT[3], 5: "tiny_rate", 6: "no such thing"})
    assert not record.diagnosed(3)  # what is no answer is not read
    check.diagnoses({3: RIGHT[3], 5: "tiny_rate"})
    assert record.diagnosed(3) and record.read_entry(5)["named"] == ["tiny_rate"] and not record.diagnosed(5)


# Repairs: judged by what instruments read

ROWS = "        rows = order[start : start + BATCH]\n        yield x[rows], labels[rows]\n"
OTHERS = {
    "softmax written out": (
        8,
        "def loss(layers, x, labels):\n    z = scores(layers, x)\n"
        "    powers = (z - z.data.max(axis=1, keepdims=True)).exp()\n"
        "    p = powers / powers.sum(axis=1, keepdims=True)\n"
        "    return -(p.log() * np.eye(10)[labels]).sum() * (1 / len(labels))\n",
    ),
    "three layers by name": (
        4,
        "def scores(layers, x):\n    (w, b), (w2, b2), (w3, b3) = layers\n"
        "    return ((Tensor(x) @ w + b).relu() @ w2 + b2).relu() @ w3 + b3\n",
    ),
    "targets as a column": (
        5,
        "def loss(layers, x, targets):\n    return ((scores(layers, x) - targets[:, None]) ** 2).mean()\n",
    ),
    "zeros after the step": (7, "def update(layers, optimizer):\n    optimizer.step()\n    optimizer.zero_grad()\n"),
    "copies of training rows alone": (
        6,
        "def data():\n    x, labels, test_x, test_labels = load_digits()\n"
        "    x, labels = np.concatenate([x, x]), np.concatenate([labels, labels])\n"
        "    x = x + 0.02 * np.random.RandomState(3).standard_normal(x.shape)\n"
        "    return x, labels, test_x, test_labels\n",
    ),
    "a loss row by row": (
        8,
        "def loss(layers, x, labels):\n    whole = 0.0\n    for i in range(len(x)):\n"
        "        whole = whole + cross_entropy(scores(layers, x[i : i + 1]), labels[i : i + 1])\n"
        "    return whole * (1 / len(x))\n",
    ),
    "drawn with repeats": (
        2,
        "def batches(x, labels, rng):\n    order = rng.randint(0, len(x), len(x))\n"
        f"    for start in range(0, len(x), BATCH):\n{ROWS}",
    ),
}


def function(code):
    names = {"np": np}
    exec(code, names)
    return names.popitem()[1]


@pytest.mark.long
@pytest.mark.parametrize("way", OTHERS)
def test_alternative_repair_is_accepted(way, of_nobody):
    number, code = OTHERS[way]
    found = check.repairs({number: function(code)})
    assert found.state == "not yet" and f"Repaired so far: {number}. Still to repair: " in found.render_text(), found
    assert record.repaired(number)


@pytest.mark.long
def test_missing_reading_may_be_dropped_with_its_row():
    code = faults()["missing_value"].code
    without = code.replace(
        "    return x[:300], y[:300]", "    keep = np.delete(np.arange(300), 211)\n    return x[keep], y[keep]"
    )
    assert without != code
    assert "Repaired so far: 3." in check.repairs({3: function(without)}).render_text()


@pytest.mark.long
@pytest.mark.parametrize("number", [4, 7, 8])
def test_repair_that_hides_the_fault_is_rejected_with_a_reading(number, of_nobody):
    fault = shared.examined(number).fault
    found = check.repairs({number: function(fault.tempting.code)})
    assert found.state == "wrong" and "It learns more than before, but it is not repaired" in found.render_text(), found
    assert {8: "Overfit eight rows: ", 4: "Gradients: ", 7: "Kept : fresh: "}[number] in found.render_text()
    assert [mistake.name for mistake in found.mistakes] == ["it learns, with a fault"]
    assert not record.repaired(number)


LEAKS = {
    "copies without noise": "    x, labels = np.concatenate([x, x]), np.concatenate([labels, labels])\n",
    "half of the rows are copied": "    x = np.concatenate([x, x[:700]])\n"
    "    labels = np.concatenate([labels, labels[:700]])\n",
    "a tenth of them, with noise": "    near = x[:200] + 0.02 * rng.standard_normal((200, 64))\n"
    "    x, labels = np.concatenate([x, near]), np.concatenate([labels, labels[:200]])\n",
    "copies with so much noise that they are as far away as others": "    x, labels = np.concatenate([x, x]), "
    "np.concatenate([labels, labels])\n    x = x + 0.12 * rng.standard_normal(x.shape)\n",
    "three of each": "    x, labels = np.concatenate([x, x, x]), np.concatenate([labels, labels, labels])\n"
    "    x = x + 0.02 * rng.standard_normal(x.shape)\n",
}


@pytest.mark.long
@pytest.mark.parametrize("way", LEAKS)
def test_leak_of_any_size_is_detected(way):
    code = "def data():\n    x, labels, *_ = load_digits()\n    rng = np.random.RandomState(3)\n" + LEAKS[way]
    code += "    order = rng.permutation(len(x))\n    x, labels = x[order], labels[order]\n"
    count = "min(1400, len(x) - 150)"
    code += f"    n = {count}\n    return x[:n], labels[:n], x[n : n + 240], labels[n : n + 240]\n"
    found = check.repairs({6: function(code)})
    said = "Test rows with a near copy among the training rows: ", "test rows are among the training rows"
    assert found.state == "wrong" and any(each in found.render_text() for each in said), found


HALVES = {  # what the dials' words do not show
    "rows to learn from appended to the test": (
        6,
        "def data():\n    x, labels, test_x, test_labels = load_digits()\n"
        "    return x, labels, np.concatenate([test_x, x[:200]]), np.concatenate([test_labels, labels[:200]])\n",
        "200 of 597",
    ),
    "a part of each gradient": (
        7,
        "def zero(layers, optimizer):\n    for p in optimizer.parameters:\n        p.grad = 0.005 * p.grad\n",
        "A step of training moves ",
    ),
    "two steps in one": (
        7,
        "def update(layers, optimizer):\n    optimizer.step()\n    optimizer.step()\n    optimizer.zero_grad()\n",
        "A step of training moves 2 times",
    ),
    "two batches of each epoch": (
        2,
        "def batches(x, labels, rng):\n    order = rng.permutation(len(x))\n"
        f"    for start in range(0, len(x) - 2 * BATCH, BATCH):\n{ROWS}",
        "The batches of an epoch use 1,300 of 1,400 rows.",
    ),
    "a step with what is to be forgotten": (
        7,
        "def zero(layers, optimizer):\n    optimizer.step()\n    optimizer.zero_grad()\n",
        "step of training",
    ),
}


@pytest.mark.parametrize("way", HALVES)
def test_remaining_or_added_faults_of_a_repair_are_detected(way):
    number, code, said = HALVES[way]
    found = check.repairs({number: function(code)})
    assert found.state == "wrong" and said in found.render_text(), found


@pytest.mark.long
def test_new_fault_is_not_called_part_of_the_old_one():
    """The rows are mixed, and the labels in another order: fewer readings are wrong, but none is the old fault."""
    found = check.repairs({2: function(
        "def batches(x, labels, rng):\n    order, other = rng.permutation(len(x)), rng.permutation(len(x))\n"
        "    for start in range(0, len(x), BATCH):\n"
        "        yield x[order[start : start + BATCH]], labels[other[start : start + BATCH]]\n"
    )})  # fmt: skip
    assert [mistake.name for mistake in found.mistakes] == ["fewer readings are wrong"], found
    assert "the rest of the old fault, or a new one" in found.render_text()


@pytest.mark.long
def test_constant_measure_is_not_a_repair():
    found = check.repairs({5: function("def measure(layers, x, targets):\n    return 0.9\n")})
    assert found.state == "wrong" and "the largest array is of shape (300, 300)" in found.render_text()


def test_only_the_first_wrong_repair_is_reported():
    def zero(layers, optimizer):
        pass

    def batches(x, labels):
        pass

    found = check.repairs({7: zero, 8: batches})
    assert (
        "Patient 7. Each reading that was wrong is still wrong." in found.render_text()
        and "Patient 8" not in found.render_text()
    )


def test_endless_repair_is_stopped(monkeypatch):
    monkeypatch.setattr(shared, "SECONDS", 0.2)

    def zero(layers, optimizer):
        while True:
            pass

    found = check.repairs({7: zero})
    assert "The instruments were still running after 0.2 seconds, so they were stopped." in found.render_text()


def test_repairs_without_time_wait_for_the_next_check(monkeypatch):
    monkeypatch.setattr(repairs_check, "LOOKING", -1.0)
    answer = check.repairs.answers(library.solution("repairs").code)[0]
    found = check.repairs(answer)
    assert found.state == "not yet" and "Run the check again" in found.render_text()


def test_repair_is_cached_unless_it_depends_on_its_cell(monkeypatch):
    count = []
    monkeypatch.setattr(shared, "kept", {})
    monkeypatch.setattr(shared, "finished", lambda work: count.append(work) or "tried")
    program = shared.examined(7).program

    def zero(layers, optimizer):
        optimizer.zero_grad()

    def leaning(layers, optimizer):
        RIGHT.get(2)

    for each in (zero, zero, leaning, leaning):
        shared.tried(each, program, lambda repaired: None, "a test")
    assert len(count) == 3


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({2: 5}, "A function was expected; it is an int."),
        ({2: np.mean}, "A function was expected"),
        ({9: len}, "Its keys should be patient numbers, 2 to 8; got 9."),
        (7, "A dict whose keys are patient numbers"),
    ],
)
def test_malformed_repairs_get_a_message(answer, said):
    found = check.repairs(answer)
    assert found.state == "wrong" and said in found.render_text(), found


class Silent:
    """An object that raises at every attribute, its class included."""

    def __getattribute__(self, name):
        raise ValueError(name)


@pytest.mark.parametrize("name", ["diagnoses", "repairs", "build_a_patient"])
def test_object_with_broken_repr_gets_a_message(name):
    for given in (Silent(), {2: Silent()}):
        assert getattr(check, name)(given).state == "wrong"
