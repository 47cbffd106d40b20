"""`in_pytorch`: programs that only PyTorch has, run now or as recorded; and a learner's own rule in a program."""

import json
import sys

import numpy as np
import pytest

from exercises import beside_pytorch, in_pytorch
from exercises.course import torch_only


@pytest.mark.long
@pytest.mark.parametrize("name", torch_only.programs())
def test_recorded_output_matches_pytorch(name, torch):
    found, kept = torch_only.ran(name)[0], torch_only.recorded(name)[0]
    if isinstance(kept, str):  # readings, whose last digits are this machine's
        assert [line.split(":")[0] for line in found.splitlines()] == [line.split(":")[0] for line in kept.splitlines()]
    else:
        assert near(found, kept)


def near(found, kept):
    """Return whether two findings agree, to four digits."""
    if isinstance(kept, dict):
        return found.keys() == kept.keys() and all(near(found[key], kept[key]) for key in kept)
    return np.allclose(found, kept, rtol=1e-3, atol=0)


@pytest.mark.parametrize("name", torch_only.programs())
def test_without_pytorch_the_recording_is_shown_and_labelled(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    shown = in_pytorch(name)
    assert "as recorded: it is not installed here, and nothing needs it" in repr(shown)
    assert "as recorded" in shown.html() and shown.found == torch_only.recorded(name)[0]
    assert torch_only.programs()[name] in repr(shown)


@pytest.mark.long
def test_record_writes_outputs_and_unknown_programs_are_rejected(torch, tmp_path, monkeypatch):
    monkeypatch.setattr(torch_only, "RECORDED", tmp_path / "torch_only.json")
    torch_only.record()
    kept = json.loads(torch_only.RECORDED.read_text(encoding="utf-8"))
    assert set(kept["found"]) == set(torch_only.programs()) and kept["version"] in torch.__version__
    assert "run now" in repr(in_pytorch("by hooks")) and len(in_pytorch("by hooks")["upstream"]) == 8
    with pytest.raises(ValueError, match=r"no program 'by hand'\. There are: by hooks"):
        in_pytorch("by hand")


def test_learners_rule_runs_in_pytorch_and_a_wrong_one_is_seen(torch):
    name, wrong = "a rule of your own", lambda x, upstream, axis: upstream + 0 * x
    places = [i for i, (_, theirs) in enumerate(beside_pytorch.__globals__["PROGRAMS"][name]) if "gradcheck" in theirs]
    right, own = (beside_pytorch(name, **given).rows[places[0]][1][1] for given in ({}, {"sum_vjp": wrong}))
    assert right == "True" and own.startswith("GradcheckError: Jacobian mismatch")
    with pytest.raises(TypeError, match="uses no 'exp_vjp'; it uses: sum_vjp"):
        beside_pytorch(name, exp_vjp=wrong)


def test_float32_fails_gradcheck_of_a_right_rule(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with pytest.warns(UserWarning, match="double precision"), pytest.raises(Exception, match="Jacobian mismatch"):
        torch.autograd.gradcheck(lambda x: x.exp(), x)
