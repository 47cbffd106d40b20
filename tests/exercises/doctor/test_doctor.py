"""The doctor on seventy engines in many styles: `engines.toml` has their texts, their faults and what it must find."""

import json
import tomllib
import xml.etree.ElementTree
from pathlib import Path

import pytest

from exercises.doctor import browser, command
from exercises.doctor.examination import examine
from exercises.doctor.notes import SOME_RUNS, TWICE
from exercises.doctor.report import NOT_RUN, RIGHT, WRONG, as_dict, badge, to_text
from exercises.explaining.identifying import truth
from tests.engines import swapped

ENGINES = tomllib.loads(Path(__file__).with_name("engines.toml").read_text(encoding="utf-8"))
STYLES = ENGINES["style"]
GOOD = [(style, "as it is", []) for style in STYLES]
GOOD += [(style, what, swaps) for style, listed in ENGINES["right"].items() for what, *swaps in listed]
BAD = [(style, names, swaps) for style, listed in ENGINES["wrong"].items() for names, *swaps in listed]
CLOSURES = STYLES["closures"]


def write(folder, style, *swaps):
    """Write an engine to a file; one style is a notebook, with its classes in separate cells."""
    text = swapped(STYLES[style], *swaps)
    if style != "factory":
        (folder / f"my_{style}.py").write_text(text, encoding="utf-8")
        return folder / f"my_{style}.py"
    cells = [
        "%matplotlib inline\n!pip install torch",
        *text.replace("\n\ndef ", "\n\f\ndef ").split("\f"),
        "1 / 0",
        "so ?",
    ]
    listed = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    listed.insert(0, {"cell_type": "markdown", "source": ["# An engine"]})
    (folder / f"{style}.ipynb").write_text(json.dumps({"cells": listed}), encoding="utf-8")
    return folder / f"{style}.ipynb"


@pytest.mark.long
@pytest.mark.parametrize("style, what, swaps", GOOD, ids=str)
def test_right_engine_is_called_right(style, what, swaps, tmp_path):
    verdict = examine(write(tmp_path, style, *swaps))
    assert (verdict.verdict, verdict.mistakes, verdict.smallest) == (RIGHT, [], None), to_text(verdict)
    assert verdict.tried >= 40


@pytest.mark.long
@pytest.mark.parametrize("style, names, swaps", BAD, ids=str)
def test_wrong_engine_is_called_wrong_and_its_mistakes_named(style, names, swaps, tmp_path):
    verdict = examine(write(tmp_path, style, *swaps))
    assert verdict.verdict == WRONG
    assert sorted(mistake.name for mistake in verdict.mistakes) == sorted(names)
    case, rows = verdict.smallest
    expected = [truth(case)[0], *truth(case)[1]]
    if rows[0][0] != "it":  # it raises
        assert [right for _, right, _ in rows] == expected
        assert any(right != got for _, right, got in rows), rows
    assert len(verdict.lines) == len(verdict.mistakes)


def test_other_rounding_is_no_other_result(tmp_path):
    """The order of a set changes the last digit of a sum."""
    verdict = examine(write(tmp_path, "closures", ["self.g += other.v * out.g", "self.g += 1.1 * out.g"]))
    assert (verdict.verdict, verdict.mistakes) == (WRONG, [])


def test_a_file_that_ends_python_in_a_browser_is_not_run(tmp_path):
    def broken(question):
        raise RuntimeError("memory access out of bounds")

    told = json.loads(browser.examine(str(write(tmp_path, "closures")), False, broken))
    assert told["verdict"] == NOT_RUN and told["lacks_engine"] and "it ended Python itself" in told["said"]


def test_there_are_seventy_engines():
    assert (len(GOOD), len(BAD)) == (26, 45) and len({str(each) for each in GOOD + BAD}) == 71


@pytest.mark.long
def test_right_engines_agree_with_pytorch(tmp_path):
    """The truth for engines is that of another library, if it is installed."""
    torch = pytest.importorskip("torch")
    a, b = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (2.0, 3.0))
    (a * b + a).backward()
    assert truth(TWICE) == (8.0, (a.grad.item(), b.grad.item()))


@pytest.mark.long
def test_micrograd_engine_is_right():
    engine = pytest.importorskip("micrograd.engine")
    verdict = examine(engine.__file__)
    assert (verdict.verdict, verdict.mistakes) == (RIGHT, []), to_text(verdict)
    assert verdict.engine["class"] == "Value" and "inside the graph, too" in verdict.notes[0]


REFUSED = {
    "class Value:\n    def __init__(self, data): self.data = data\n": "there is no class that can be added",
    "class Value(:\n": "not Python",
    CLOSURES.replace("out = Scalar(self.v + other.v, (self, other))", "raise ValueError('later')"): "a + b raises",
    CLOSURES.replace("def backprop", "def show"): "no backward pass leaves a gradient",
    CLOSURES.replace(
        "        out = Scalar(self.v + other.v", "        while True: pass\n        out = Scalar(self.v + o"
    ): "ended",
}


@pytest.mark.long
@pytest.mark.parametrize("text, why", REFUSED.items(), ids=REFUSED.values())
def test_unjudgeable_file_is_not_run_with_a_reason(text, why, tmp_path, monkeypatch):
    monkeypatch.setattr("exercises.doctor.examination.TIMES", (1, 20.0))
    (tmp_path / "engine.py").write_text(text, encoding="utf-8")
    verdict = examine(tmp_path / "engine.py")
    assert verdict.verdict == NOT_RUN and why in verdict.why and not verdict.mistakes


@pytest.mark.long
def test_engine_cannot_write_files_or_start_processes(tmp_path):
    victim = tmp_path / "kept.txt"
    victim.write_text("kept", encoding="utf-8")
    for act in (f"open({str(victim)!r}, 'w')", f"__import__('os').remove({str(victim)!r})", "__import__('os').fork()"):
        text = swapped(CLOSURES, ("        self.v = v\n", f"        self.v = v\n        {act}\n"))
        (tmp_path / "engine.py").write_text(text, encoding="utf-8")
        verdict = examine(tmp_path / "engine.py")
        assert verdict.verdict == NOT_RUN and "PermissionError" in verdict.why
        assert victim.read_text(encoding="utf-8") == "kept"


@pytest.mark.long
def test_conventions_are_noted_without_being_faults(tmp_path):
    swaps = [["1.0 if out.v > 0", "1.0 if self.v >= 0"], ["def __radd__", "def other_add"]]
    verdict = examine(write(tmp_path, "closures", *swaps))
    said = "\n".join(verdict.notes)
    assert verdict.verdict == RIGHT
    for part in ("n+v", "add up over passes", "relu passes its gradient on at 0", "RecursionError", "matplotlib"):
        assert part in said
    verdict = examine(write(tmp_path, "attached", ["np.float64", "np.float32"]))
    assert verdict.verdict == RIGHT and "float32" in "\n".join(verdict.notes)


@pytest.mark.long
def test_dependence_on_set_order_is_reported(tmp_path):
    swaps = next(swaps for style, names, swaps in BAD if (style, names) == ("closures", ["breadth-first order"]))
    assert SOME_RUNS in examine(write(tmp_path, "closures", *swaps)).notes
    assert SOME_RUNS not in examine(write(tmp_path, "closures", *swaps, ["set(_from)", "tuple(_from)"])).notes


@pytest.mark.long
def test_report_shows_names_graph_numbers_mistake_and_line(tmp_path):
    path = write(tmp_path, "closures", ["self.g += (1 - t", "self.g = (1 - t"])
    verdict = examine(path)
    line = next(i for i, text in enumerate(path.read_text().splitlines(), 1) if "self.g = (1 - t" in text)
    text = to_text(verdict)
    assert "Read: class Scalar, number `v`, gradient `g`, pass `backprop()`." in text
    assert f"Mistake: = instead of += in the rule of tanh (line {line})." in text
    assert "Scalar(" in text and "expected  got" in text
    notebook = examine(write(tmp_path, "factory", ["lambda a, y: 1 / a", "lambda a, y: a"]))
    assert notebook.lines[0].startswith("code cell")


@pytest.mark.long
@pytest.mark.parametrize(
    "style, old, new",
    [
        ("dataclasses", "1 - n.val ** 2", "1 - n.val"),  # all rules in one method, by operation
        ("tape", "math.cos(a.num),", "1.0,"),  # local derivatives, stored when the node is made
        ("closures", "self.v ** (n - 1) * out.g", "self.v ** n * out.g"),
        ("closures", "1 - t * t", "1 - tt"),  # it raises
    ],
)
def test_the_line_is_that_of_the_rule_wherever_it_is(style, old, new, tmp_path):
    path = write(tmp_path, style, [old, new])
    verdict = examine(path)
    line = next(i for i, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if new in text)
    assert verdict.lines == [f"line {line}"], to_text(verdict)


@pytest.mark.long
def test_the_smallest_graph_shows_the_mistake_and_no_missing_operation(tmp_path):
    verdict = examine(write(tmp_path, "closures", ["def __rsub__", "def other_sub"], ["math.exp(self.v)", "exp(self)"]))
    assert [mistake.name for mistake in verdict.mistakes] == ["exp raises NameError"]
    assert "exp()" in verdict.smallest[0].text()


@pytest.mark.long
def test_doctor_command_prints_json_and_returns_exit_code(tmp_path, capsys):
    path, picture = write(tmp_path, "keyed"), tmp_path / "badge.svg"
    assert command.main([str(path), "--json", "--badge", str(picture)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert list(said) == ["verdict", "mistakes", "smallest", "notes", "seconds"]
    assert (said["verdict"], said["mistakes"], said["smallest"]) == ("right", [], None) and said["seconds"] > 0
    assert "right on" in "".join(xml.etree.ElementTree.fromstring(picture.read_text()).itertext())
    wrong = write(tmp_path, "keyed", ["grad_value += node", "grad_value = node"])
    assert command.main([str(wrong), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["mistakes"] == ["= instead of += in every rule"]
    assert set(said["smallest"]) == {"expression", "expected", "got"}
    assert said["smallest"]["expected"] != said["smallest"]["got"]
    assert [
        x for x in (*said["smallest"]["expected"].values(), *said["smallest"]["got"].values()) if type(x) is not float
    ] == []
    (tmp_path / "none.py").write_text("x = 1\n", encoding="utf-8")
    assert command.main([str(tmp_path / "none.py")]) == command.main([str(tmp_path / "missing.py")]) == 2
    (tmp_path / "text.txt").write_text("", encoding="utf-8")
    assert command.main([str(tmp_path / "text.txt")]) == 2
    said = capsys.readouterr().out
    assert "Not run. No engine was found" in said and "missing.py could not be read: No such file" in said
    assert command.main([str(tmp_path / "missing.py"), "--json", "--badge", str(tmp_path / "no" / "badge.svg")]) == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["verdict"] == "not run" and "could not be written" in said.err


def test_unknown_cause_is_reported_as_unknown(tmp_path):
    verdict = examine(write(tmp_path, "pairs", ["(self, 1.0), (other, 1.0)", "(self, 1.5), (other, 1.25)"]))
    assert verdict.verdict == WRONG and as_dict(verdict)["mistakes"] == [] and "Cause unknown" in to_text(verdict)
    assert "not right" in badge(verdict)


def test_nan_becomes_null_in_json_with_a_note(tmp_path):
    swaps = ["self.g += other.v * out.g", "self.g += float('nan') * out.g"]
    said = as_dict(examine(write(tmp_path, "closures", swaps)))
    assert None in said["smallest"]["got"].values() and json.dumps(said, allow_nan=False)
    assert any("is nan, which JSON has no number for." in note for note in said["notes"])
    said = as_dict(examine(write(tmp_path, "closures", ["self.g += other.v * out.g", "raise KeyError"])))
    assert set(said["smallest"]["got"].values()) == {None} and None not in said["smallest"]["expected"].values()
    assert "On the smallest graph it raised KeyError in backward()." in said["notes"]
