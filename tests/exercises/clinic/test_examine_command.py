"""`python -m exercises examine module:function` on a script of the user's."""

import sys

import pytest

from exercises.clinic import command

SCRIPT = """
import torch


def parts():
    torch.manual_seed(4)
    model = torch.nn.Linear(4, 3)
    pair = {"x": torch.randn(40, 4), "y": torch.arange(40) % 3}
    return model, [pair], torch.nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), lr=0.1), batch


def batch(found):
    return found["x"], found["y"]


def broken():
    raise RuntimeError("no data")


number, few = 3, lambda: (1, 2)
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    for name, text in (("my_script", SCRIPT), ("fails", "raise ValueError('no data')"), ("unread", "def parts(:")):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("my_script", None)


def test_script_is_examined_on_the_command_line(torch, script, capsys):
    assert command.main(["my_script:parts"]) == 0
    assert capsys.readouterr().out.startswith("No reading is unhealthy.")


def test_command_line_errors_are_messages(script, capsys, monkeypatch):
    said = {"my_script": "as in my_script:parts", "nowhere:parts": "no module 'nowhere' here"}
    monkeypatch.setitem(sys.modules, "torch", None)
    (said_without,) = [command.main(["my_script:parts"])]
    assert said_without == 2 and "needs PyTorch, which is not installed here" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "torch", type(sys)("torch"))
    said |= {"my_script:other": "has no function 'other'", "my_script:number": "it is of the type int"}
    said |= {"my_script:broken": "my_script:broken raised RuntimeError: no data"}
    said |= {"fails:parts": "fails cannot be imported: it raised ValueError: no data"}
    said |= {"unread:parts": "unread cannot be imported: it raised SyntaxError"}
    for name, words in (said | {"my_script:few": "it returned tuple"}).items():
        assert command.main([name]) == 2 and words in capsys.readouterr().err
