"""`exercises.identify`: how it names a whole class by its behaviour, and the smallest graph that shows it."""

import tomllib
from pathlib import Path

import pytest

import autograd
import exercises
from exercises.doctor.report import UNKNOWN, picture
from exercises.engine_file import trial
from exercises.engines.wrong_engines import RIGHT, WRONG_ENGINES, Engine
from exercises.explaining.identifying import truth
from tests import engines

SWAPPED = ("(other.data, self.data)", "(self.data, other.data)")


def stored(*swaps):
    return exercises.identify(engines.engine(engines.STORED, *swaps))


@pytest.mark.parametrize("cls", [Engine, autograd.Value, trial.template_engine().Value, trial.template_engine()])
def test_identify_accepts_right_classes_and_engines(cls):
    found = exercises.identify(cls)
    assert found.is_right and not found.mistakes
    assert repr(found) == "Right on 60 random graphs: every value and every gradient."


@pytest.mark.parametrize("wrong", WRONG_ENGINES, ids=lambda wrong: wrong.id)
def test_identify_recognises_each_wrong_engine(wrong):
    found = exercises.identify(wrong.engine)
    assert [mistake.name for mistake in found.mistakes] == [wrong.name]
    case, rows = found.smallest
    root = (nodes := case.run(wrong.engine))[case.root]
    root.backward()
    value, slopes = truth(case)
    got = [root.data, *(nodes[name].grad for name, _ in case.leaves)]
    assert [number for *_, number in rows] == got != pytest.approx([value, *slopes])
    assert [number for _, number, _ in rows] == [value, *slopes] and len(case.steps) <= 3
    (line,) = found.lines
    assert f"Mistake: {wrong.name} ({line}). {wrong.sentence}" in repr(found)


def test_identify_draws_the_smallest_failing_graph():
    found = stored(SWAPPED)
    (case, rows), shown = found.smallest, found._repr_mimebundle_()
    drawn = picture(case, rows)
    assert "<img" in shown["text/html"] and "See <a href=" in shown["text/html"]
    wrong = [f"{right:.4g}, got {got:.4g}" for _, right, got in rows if right != got]
    assert wrong and [text for text in wrong if f">{text}</text>" not in drawn.svg] == []


def test_identify_accepts_an_engine_file(tmp_path):
    (tmp_path / "engine.py").write_text(engines.swapped(engines.STORED, SWAPPED), encoding="utf-8")
    assert exercises.identify(tmp_path / "engine.py").mistakes == stored(SWAPPED).mistakes
    with pytest.raises(ValueError, match=r"reads \.py and \.ipynb files"):
        exercises.identify("engine")


def test_unknown_mistake_is_reported_as_unknown():
    found = stored(("(1.0, 1.0)", "(2.0, 1.0)"))
    assert not found.is_right and not found.mistakes
    assert repr(found).startswith("Not right.") and repr(found).endswith(UNKNOWN)
    assert [op for _, op, _ in found.smallest[0].steps] == ["+"]


FAULTY = tomllib.loads(Path(__file__).with_name("faulty_engines.toml").read_text(encoding="utf-8"))
TEXTS = {"closures": RIGHT, "stored": engines.STORED, **FAULTY["style"]}


@pytest.mark.parametrize(
    "style, faults, names", [(style, *each) for style, listed in FAULTY["engines"].items() for each in listed], ids=str
)
def test_single_and_combined_mistakes_are_named_in_any_style(style, faults, names):
    swaps = [swap for fault in faults for swap in FAULTY["fault"][style][fault]]
    found = exercises.identify(engines.engine(TEXTS[style], *swaps))
    assert [mistake.name for mistake in found.mistakes] == names


@pytest.mark.parametrize("style", TEXTS)
def test_right_class_of_any_style_is_right(style):
    assert exercises.identify(engines.engine(TEXTS[style])).is_right


def test_partial_engine_is_tested_on_its_operations():
    lost = ("__add__", "__pow__", "__neg__", "__sub__", "__rsub__", "__truediv__", "__rtruediv__", "tanh", "relu")
    found = stored(
        ("__radd__, __rmul__ = __add__, __mul__", ""), *((f"def {name}(", f"def no_{name}(") for name in lost)
    )
    assert found.is_right and found.tried
    assert found.notes[0].startswith("Not tried, because the engine does not take it: +, **, -, /, neg")


def test_engine_with_only_products_is_tested():
    """With them a relu at 0 has no gradient to pass on, so that no graph shows it."""
    lost = ("__add__", "__pow__", "__sub__", "__rsub__", "__truediv__", "__rtruediv__")
    without = ("__radd__, __rmul__ = __add__, __mul__", "__rmul__ = __mul__")
    found = stored(without, *((f"def {name}(", f"def no_{name}(") for name in lost))
    assert found.is_right and found.tried == 60
    assert {"*", "neg", "tanh", "relu"}.isdisjoint(found.notes[0].replace(",", "").split())


@pytest.mark.long
def test_endless_engine_is_stopped():
    said = "It had not ended after 3 seconds of work, or 20 in all, so it was stopped. Is there a loop that never ends?"
    assert repr(stored(("self.grad = 1.0", "while True:\n            pass"))) == f"Not run. {said}"


def test_identify_rejects_non_classes():
    for odd in (3, None):
        with pytest.raises(TypeError, match="identify takes a class"):
            exercises.identify(odd)


def test_mistake_in_composed_operations_is_recognised():
    assert stored().is_right
    found = stored(SWAPPED)
    assert [mistake.name for mistake in found.mistakes] == ["* does not swap its factors"]


def test_skipped_root_rule_is_not_taken_for_a_missing_seed():
    """This engine has set the root's gradient to 1, and skips the root's rule."""
    found = stored(("found[::-1]", "found[:-1][::-1]"))
    assert not found.is_right
    assert "the first gradient is not set to 1" not in [mistake.name for mistake in found.mistakes]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("self.grad = 1.0", "raise SystemExit"), "SystemExit"),
        (("def backward", "backward = None\n\n    def other"), "TypeError"),
    ],
)
def test_class_that_always_raises_is_reported(change, said):
    found = stored(change)
    assert [mistake.name for mistake in found.mistakes] == [f"every operation raises {said}"]
    assert found.smallest[1] == (("it", "comes to its end", f"{said} in backward()"),)


def test_similar_numbers_are_shown_in_full():
    found = stored(("(other.data, self.data)", "(other.data + 1e-6, self.data)"))
    _, right, got = next(row for row in found.smallest[1] if row[1] != row[2])
    assert f"{right!r}  {got!r}" in repr(found)
