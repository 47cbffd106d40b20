"""A lesson loads `my_engine.py`: it judges changes by hand apart, and the course's code replaces what fails."""

import numpy as np
import pytest

from autograd.tensor import Tensor
from exercises.content import library
from exercises.engine_file import loading, parts, saving, store, trial
from exercises.sandbox import runner
from exercises.storage import progress
from tests import sampling
from tests.learners_files import owned_in, put, runs_alone, save, text_in, write

HEAD, LEAF = "def as_value(thing):", "return thing if isinstance(thing, Value) else Value(thing)"


def test_load_without_a_file_gives_the_default_engine(folder):
    engine = loading.load("04")
    assert engine.sentences() == ["my_engine.py: all 8 parts so far are still the course's."]
    assert trial.works(engine._names) == ""
    assert "class Value:" in text_in(folder) and "class Neuron" not in text_in(folder)
    with pytest.raises(AttributeError, match=r"my_engine\.py has no 'Optimizer'\. It has: Value, as_value"):
        engine.Optimizer  # noqa: B018


@pytest.mark.long
def test_any_part_can_be_the_learners_alone_or_together(folder):
    for each in sampling.sample(parts.EXERCISES, 6, lambda part: part.name):
        write(folder, each.name)
        engine = loading.load()
        assert not engine._notes and trial.works(engine._names) == "", each.name
    write(folder, *(each.name for each in parts.EXERCISES))
    replaced = {name for part in parts.PARTS for name in part.replaces} | {"first_rules", "first_backward", "assemble"}
    assert owned_in(folder) == {each.name for each in parts.EXERCISES} - replaced
    assert runs_alone(folder) and "# the course's" in text_in(folder)


def test_passed_part_is_patched_into_the_loaded_class(folder):
    mine = loading.load("05")
    value, train, three = mine.Value, mine.train, mine.Value(3.0)
    put("rules", subtract=library.solution("subtract").code.replace("* -1", "* -1.0"))
    loading.refresh()
    assert value is mine.Value is loading.load("05").Value and mine.train is train
    assert value.__sub__.__code__.co_filename == str(folder / "my_engine.py")
    assert (three - 1)._prev[1].data == -1.0 and "2 of" in repr(loading.load("03"))
    value.mine = 3  # a learner's own attribute stays
    saving.restore_default("subtract")
    assert "the course's" in value.__sub__.__code__.co_filename and value.mine == 3 and (three - 1).data == 2.0


def test_method_line_numbers_follow_changes_in_the_file(folder):
    mine = loading.load("05")
    put("functions")
    loading.refresh()
    put(rules=library.solution("rules").code.replace("out._backward", "# the rule\n        out._backward"))
    loading.refresh()
    first = mine.Value.tanh.__code__.co_firstlineno
    assert text_in(folder).splitlines()[first - 1].strip() == "def tanh(self):"


def test_load_counts_only_parts_of_earlier_lessons(folder):
    write(folder, "multiply", "relu", "rules", "train")
    assert repr(loading.load("03")) == "my_engine.py: 4 of the 8 parts so far are yours; the others are the course's."
    assert repr(loading.load("05")).startswith("my_engine.py: 4 of the 10 parts")
    assert repr(loading.load("00")).startswith("my_engine.py is your own engine. All of it is still the course's")
    shown = loading.load("05")._repr_mimebundle_()["text/html"]
    assert shown.count("<b>yours</b>") == 5 and "def train" not in shown and "<details" in shown


@pytest.mark.long
def test_hand_edited_method_is_checked(folder):
    write(
        folder,
        "multiply",
        changed=[(HEAD, f"{HEAD}  # mine"), (LEAF, LEAF.replace("Value(thing)", "Value(0.0 + thing)"))],
    )
    engine = loading.load("03")
    assert not engine._notes and (engine.Value(1) + 2).data == 3
    assert f"{HEAD}  # mine" in text_in(folder) and not store.read(store.path())[0].unnoted()

    text = write(folder, "multiply", changed=[(LEAF, LEAF.replace("else Value(thing)", "else Value(-thing)"))])
    engine = loading.load("03")
    assert "Your `as_value` was changed in the file and is not right" in engine._notes[0]
    assert 'exercises.keep("as_value")' in engine._notes[0] and 'exercises.reset("as_value")' in engine._notes[0]
    assert (engine.Value(1) + 2).data == 3  # the course's
    assert text_in(folder) == text  # nothing of theirs is lost
    assert "unchecked" in saving.keep("multiply")
    assert (engine.Value(1) + 2).data == -1


def test_single_methods_can_be_kept_and_reset(folder):
    text = write(folder, "multiply", changed=[("return as_value(other) * self", "return as_value(other) + self")])
    engine = loading.load("03")
    assert "Your `Value.__rmul__` was changed in the file and is not right" in engine._notes[0]
    assert text_in(folder) == text and (2 * engine.Value(3)).data == 6
    assert "unchecked" in saving.keep("Value.__rmul__") and (2 * engine.Value(3)).data == 5
    assert "Value.__rmul__ is the course's again" in saving.reset("Value.__rmul__")
    assert (2 * engine.Value(3)).data == 6 and "def __radd__(self, other):" in text_in(folder)
    assert saving.keep("Value.nothing").startswith("The engine has no 'Value.nothing'. It has: Value, as_value")


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("return Value(self.data +", "SyntaxError"),
        ("return 3\n      return 4", "IndentationError"),
        ("raise ValueError('no')", "ValueError: no"),
    ],
)
def test_failing_method_falls_back_to_the_default(folder, new, why):
    text = write(folder, "multiply", "divide", changed=[(LEAF, new)])
    engine = loading.load("03")
    assert "Your `as_value`" in engine._notes[0] and why in engine._notes[0]
    assert (engine.Value(1) + 2).data == 3 and "divide" in engine._sources.owned()
    put("subtract")
    assert new in text_in(folder) and "def __sub__(self, other):  # self - other" in text_in(folder)
    assert len(text_in(folder)) > len(text) - 99


@pytest.mark.long
@pytest.mark.parametrize("below", [False, True])
def test_endless_code_costs_its_timeout_once(folder, monkeypatch, below):
    loop = "while True: pass"
    write(folder, "multiply", changed=[] if below else [(LEAF, loop)], below=f"{loop}\n" * below)
    (note,) = loading.load("03")._notes
    assert "had not ended" in note
    with monkeypatch.context() as nothing:
        nothing.setattr(runner.Runner, "start", None)
        assert loading.load("03")._notes == [note]
    write(folder, "multiply", below="x = 3\n")
    assert loading.load("03")._names["x"] == 3 and not loading.load("03")._notes


def test_hand_edited_default_method_becomes_the_learners(folder):
    write(folder, changed=[("return self * as_value(other) ** -1", "return as_value(other) ** -1 * self")])
    engine = loading.load("03")
    assert not engine._notes and engine._sources.is_theirs("Value.__truediv__")
    assert "def __truediv__(self, other):\n" in text_in(folder)


def test_newer_course_updates_only_its_own_methods(folder):
    text = write(folder, "multiply")
    old = text.replace("return self * -1", "return -1 * self")
    save(folder, old)
    records = store.recorded()
    sources = store.Sources.from_texts({"my_engine.py": old}, {})
    sources.note_courses()
    records[str(store.path())]["my_engine.py"] |= sources.records["my_engine.py"]
    store.records_path().write_text(store.json.dumps({"engines": records}), encoding="utf-8")
    assert not loading.load("03")._notes and text_in(folder) == text


def test_missing_records_make_all_differences_checked(folder):
    text = write(folder, "multiply", "relu")
    store.records_path().unlink()
    engine = loading.load("03")
    assert not engine._notes and {"multiply", "relu"} <= {*engine._sources.owned()} and text_in(folder) == text
    store.records_path().write_bytes(b"\xff{")
    assert not loading.load("03")._notes and text_in(folder) == text


def test_learners_own_code_is_kept_and_unchanged_files_not_rerun(folder, monkeypatch):
    write(folder, "multiply", below="\n\ndef triple(x):\n    return 3 * x\n\n\n# a last word\n")
    engine = loading.load("03")
    assert engine._names["triple"](engine.Value(2)).data == 6
    put("relu")
    assert text_in(folder).endswith("\n\n\ndef triple(x):\n    return 3 * x\n\n\n# a last word\n")
    monkeypatch.setattr(runner.Runner, "start", None)
    assert "triple" in loading.load("03")._names and not loading.load("03")._notes


def test_assigning_rule_is_replaced_from_lesson_04_on(folder):
    put(rules=library.solution("rules").code.replace("+=", "="))
    four = loading.load("03")
    assert loading.assigns(four._names, "Value.__add__") and not four._notes
    five = loading.load("04")
    assert not loading.assigns(five._names, "Value.__add__") and "Your rule of + assigns" in five._notes[0]
    assert "self.grad = out.grad" in text_in(folder)


def test_accepted_unchecked_part_that_fails_does_not_stop_a_lesson(folder):
    fails = "out = nothing + (self.data + other.data"
    write(folder, "rules", changed=[("out = Value(self.data + other.data", fails)])
    assert "unchecked" in saving.keep("rules")
    assert loading.load("03")._notes == []
    assert "Your rule of + assigns" in loading.load("04")._notes[0]


def test_pass_missing_from_the_file_is_reported_once():
    progress.record_pass("multiply")
    assert "Passed, and not in the file: multiply. Run your cell and its check to take it in." in repr(
        loading.load("03")
    )
    assert "Passed" not in repr(loading.load("03"))


@pytest.mark.parametrize(
    "top", ["import os\nos._exit(0)", "import os\nos.fork()", "raise SystemExit", "x = bytearray(5 * 10**9)"]
)
def test_code_that_would_end_the_kernel_is_reported(folder, top):
    text = write(folder, "multiply", below=f"{top}\n")
    (note,) = loading.load("03")._notes
    assert "cannot be run: " in note and text_in(folder) == text


def test_part_that_exits_python_cannot_be_accepted(folder):
    text = write(folder, "multiply", changed=[(LEAF, f"import os; os._exit(0); {LEAF}")])
    assert "cannot be used, because a lesson would end with it: it ended Python" in saving.keep("multiply")
    assert text_in(folder) == text


def test_load_without_subprocesses_notes_it_ran_in_the_kernel(folder, monkeypatch):
    write(folder, "multiply", changed=[(LEAF, LEAF.replace("else Value(thing)", "else Value(0 + thing)"))])
    monkeypatch.setattr(runner, "is_available", lambda: False)
    assert "no other process here" in loading.load("03")._notes[0]


def test_engine_tensor_supports_attention_and_matches_the_package(folder):
    """.T, softmax and normalise by rows: values and gradients, also with masked scores."""
    arrays = [np.cos(np.arange(12.0) * k).reshape(4, 3) for k in (1, 2, 3)]
    mask = np.where(np.tri(4) > 0, 0.0, -1e9)
    results = []
    for make in (loading.load().Tensor, Tensor):
        q, k, v = leaves = [make(array) for array in arrays]
        out = (((q.normalise() @ k.T + mask).softmax() @ v) * arrays[0]).sum()
        out.backward()
        results.append([out.data, *(leaf.grad for leaf in leaves)])
    for own, package in zip(*results):
        np.testing.assert_allclose(own, package, rtol=1e-12, atol=1e-14)
