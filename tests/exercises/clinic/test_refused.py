"""Refusals of the clinic and the exam: each call of `approved/clinic_refused.txt`."""

import numpy as np

import exercises
from autograd import SGD
from autograd.tensor import Tensor
from exercises.clinic import answers, regrade
from exercises.clinic.program import TrainingProgram
from exercises.storage import progress
from tests.approve import approved_calls, said_to
from tests.exercises.engines.test_held_out import GOOD

NAMES = "certificate", "compare", "examine", "patient", "ward"


def unwritten(*given):
    """A stub."""
    raise NotImplementedError


def test_refused_calls_get_messages_and_record_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path / "data"))
    progress.note("exam", "edition", answers.editions()), progress.note("exam", "seed", 12)

    def judged(text, seed=12):
        """Return the reply of `python -m exercises certificate` to a file with this text."""
        (tmp_path / "answers.json").write_text(text, encoding="utf-8")
        assert regrade.main([str(seed), str(tmp_path / "answers.json")]) == 2
        return capsys.readouterr().err.replace(str(tmp_path), "…")

    known = {name: getattr(exercises, name) for name in NAMES}
    known |= {"exam": exercises.exam(), "judged": judged, "program_of": lambda name: getattr(TrainingProgram(), name)}
    known |= {"GOOD": GOOD, "SGD": SGD, "Tensor": Tensor, "np": np, "unwritten": unwritten}
    approved_calls("clinic_refused", lambda call: said_to(call, known))
    assert "is not JSON: " in judged("[")
    assert "Test 1 is not Python: " in judged('{"tests": [["lambda a: (", [1]]]}')  # as this Python has it
    assert answers.case(1) == answers.Case(1) and answers.handed_in() is None
