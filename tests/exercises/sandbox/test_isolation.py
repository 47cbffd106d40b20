"""A notebook has changed the package: a check judges with the unchanged package, and says so."""

import builtins
import contextlib
import decimal
import gc
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import types
import warnings

import numpy as np
import pytest

import autograd
from autograd.dual import Dual
from exercises.content import library
from exercises.engine_file import check
from exercises.judging import grading
from exercises.sandbox import isolation
from exercises.verdicts import cases, results


def verdict():
    """Return the verdict on the solution of lesson 08's neuron, which computes with the package's Value."""
    return check.neuron(*check.neuron.answers(library.solution("neuron").code))


def test_patched_operation_does_not_affect_the_verdict(monkeypatch):
    assert "this notebook has changed" not in verdict().render_text()
    monkeypatch.setattr(autograd.Value, "__mul__", patched := lambda self, other: autograd.Value(0.0))
    found = verdict()
    assert found, found
    assert "this notebook has changed the package itself (autograd.value.Value.__mul__)" in found.render_text()
    assert autograd.Value.__mul__ is patched  # what the notebook did stays for its own cells


def test_patched_functions_and_members_are_restored_and_named(monkeypatch):
    monkeypatch.setattr(autograd.Value, "cube", lambda self: self * self * self, raising=False)
    with isolation.unpatched_package() as said:
        assert said == "" and autograd.Value(2.0).cube().data == 8.0
    monkeypatch.setattr(Dual, "exp", None)
    monkeypatch.setattr(autograd, "topological_order", lambda root: [])
    monkeypatch.delattr(autograd.Neuron, "parameters")
    with isolation.unpatched_package() as said:
        assert callable(Dual.exp) and "parameters" in vars(autograd.Neuron)
        assert len(autograd.topological_order(autograd.Value(1.0) + 1)) == 3
    assert said.count("autograd") == 2 and "and 1 more" in said
    assert Dual.exp is None and "parameters" not in vars(autograd.Neuron)


MEMBERS = [(builtins, "all"), (builtins, "max"), (builtins, "print"), (math, "isclose"), (random, "Random")]
MEMBERS += [(cases, "cases"), (results, "same_outcome"), (results.TestResult, "__init__")]


@pytest.mark.parametrize(("thing", "name"), MEMBERS)
def test_guarded_modules_are_restored_during_a_check(thing, name, monkeypatch):
    right, wrong = getattr(thing, name), types.SimpleNamespace
    monkeypatch.setattr(thing, name, wrong)
    with isolation.preserved_state() as said:
        assert getattr(thing, name) is right
        setattr(thing, name, wrong)  # an answer does it once more
    assert getattr(thing, name) is wrong
    assert "has changed what the checks work with" in said[0] and name in said[0]


YES = [
    (builtins, "all", lambda *_: True),
    (results.TestResult, "is_right", True),
    (results, "same_outcome", lambda *_: True),
    (np, "allclose", lambda *_, **__: True),
    (np, "isclose", lambda *_, **__: True),
    (np, "array_equal", lambda *_, **__: True),
    (np, "asarray", lambda *_, **__: np.zeros(3)),
    (grading, "run_all", lambda tests: ([], "Right.")),
]


@pytest.mark.parametrize(("thing", "name", "wrong"), YES)
def test_answer_cannot_pass_by_patching_the_checker(thing, name, wrong):
    before = vars(thing)[name]

    def slope(f, x, h):
        setattr(thing, name, wrong)
        return 3.0

    def softmax_vjp(p, upstream):
        setattr(thing, name, wrong)
        return np.ones(3)

    for judged, answer in ((check.slope, slope), (check.softmax_vjp, softmax_vjp)):
        with isolation.preserved_state() as said:
            assert not judged.judge(answer, compares=False)
        assert said == [] and vars(thing)[name] is before


SETTINGS = {
    "NumPy raises": lambda: np.seterr(all="raise"),
    "NumPy calls": lambda: (np.seterr(all="call"), np.seterrcall(fails)),
    "warnings are errors": lambda: warnings.simplefilter("error"),
    "decimals trap": lambda: decimal.getcontext().traps.update(dict.fromkeys(decimal.getcontext().traps, True)),
}


def fails(*_):
    raise ArithmeticError


@pytest.mark.parametrize("setting", SETTINGS)
def test_notebook_settings_do_not_affect_right_answers(setting):
    before = isolation.numpy_state()[:2], list(warnings.filters), decimal.getcontext().copy()
    try:
        SETTINGS[setting]()
        there = isolation.numpy_state()[:2], list(warnings.filters), repr(decimal.getcontext())
        for name in ("softmax", "softmax_vjp", "cross_entropy", "cross_entropy_gradient"):
            judged = getattr(check, name)
            with isolation.preserved_state():
                np.exp(np.array([-1e3]))  # underflows
                verdict = judged.judge(*judged.answers(library.solution(name).code))
            assert verdict, verdict
        assert (isolation.numpy_state()[:2], list(warnings.filters), repr(decimal.getcontext())) == there
    finally:
        np.seterr(**before[0][0])
        np.seterrcall(before[0][1])
        warnings.filters[:] = before[1]
        decimal.setcontext(before[2])


LEFT = """
import os, subprocess, sys, _posixsubprocess, builtins
from IPython.core.interactiveshell import InteractiveShell
hooks = []
sys.addaudithook = hooks.append
shell = InteractiveShell.instance(history_length=0)
def state():
    spaces = [dict(vars(each)) for each in (os, sys.modules[os.name], subprocess, _posixsubprocess, builtins)]
    spaces[-1].pop("_", 0)
    events = {name: list(each) for name, each in shell.events.callbacks.items()}
    return spaces, events, list(shell.ast_transformers), list(shell.input_transformers_post), sys.gettrace()
before = state()
shell.run_cell("from exercises import check")
shell.run_cell("check.slope(slope)")
assert "slope" not in shell.user_ns
shell.run_cell("check.slope(slope, lost)")
shell.run_cell("def slope(f, x, h):\\n    return 3.0")
shell.run_cell("print(bool(check.slope(slope)), hooks_of := None)")
shell.run_cell("def slope(f, x, h):\\n    return (f(x + h) - f(x)) / h")
shell.run_cell("print(bool(check.slope(slope)))")
print(before == state(), hooks, {"slope", "lost"} & shell.user_ns.keys())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="it looks at what starts a process where that is by fork")
def test_import_and_checks_leave_the_interpreter_unchanged(tmp_path):
    pytest.importorskip("IPython", reason="the notebook is looked at, too")
    folders = dict.fromkeys(("BACKPROP_DATA_DIR", "BACKPROP_ENGINE_DIR", "IPYTHONDIR"), str(tmp_path))
    run = subprocess.run(
        [sys.executable, "-c", LEFT], capture_output=True, text=True, env=os.environ | folders, check=True
    )
    assert "NameError" not in run.stdout and run.stdout.count("There is nothing to check yet") == 2, run.stdout
    assert run.stdout.splitlines()[-3:] == ["False None", "True", "True [] {'slope'}"]


def test_notebook_builtins_are_preserved(monkeypatch):
    monkeypatch.setattr(builtins, "display", print, raising=False)
    monkeypatch.setattr(builtins, "input", None)
    with isolation.preserved_state() as said:
        assert builtins.display is print and builtins.input is None
    assert said == []


LEAKS = {  # what is left behind, and what it is read by
    "folder": (lambda: os.chdir(tempfile.gettempdir()), os.getcwd),
    "environment": (lambda: os.environ.update(A_LEAK="1"), lambda: os.environ.get("A_LEAK")),
    "mask": (lambda: os.umask(0o077), isolation.umask),
    "random": (random.random, random.getstate),
    "another seed": (lambda: random.seed(3), random.getstate),
    "NumPy's numbers": (lambda: np.random.rand(3), lambda: str(np.random.get_state())),
    "NumPy's errors": (lambda: np.seterr(all="raise"), np.geterr),
    "NumPy's call": (lambda: np.seterrcall(print), np.geterrcall),
    "NumPy's prints": (lambda: np.set_printoptions(precision=2, suppress=True), np.get_printoptions),
    "recursion": (lambda: sys.setrecursionlimit(5000), sys.getrecursionlimit),
    "digits": (lambda: sys.set_int_max_str_digits(10_000), sys.get_int_max_str_digits),
    "path": (lambda: sys.path.insert(0, "nowhere"), lambda: list(sys.path)),
    "arguments": (sys.argv.clear, lambda: list(sys.argv)),
    "standard output": (lambda: setattr(sys, "stdout", None), lambda: sys.stdout),
    "display hook": (lambda: setattr(sys, "displayhook", None), lambda: sys.displayhook),
    "a module": (lambda: sys.modules.update(json=None), lambda: sys.modules["json"]),
    "a module gone": (lambda: sys.modules.pop("json"), lambda: sys.modules.get("json")),
    "trace": (lambda: sys.settrace(lambda *_: None), sys.gettrace),
    "profile": (lambda: sys.setprofile(lambda *_: None), sys.getprofile),
    "warnings": (lambda: warnings.simplefilter("error"), lambda: list(warnings.filters)),
    "decimals": (lambda: setattr(decimal.getcontext(), "prec", 5), lambda: decimal.getcontext().prec),
    "collector": (gc.disable, gc.isenabled),
    "handler": (lambda: signal.signal(signal.SIGINT, lambda *_: None), lambda: signal.getsignal(signal.SIGINT)),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_side_effects_of_an_answer_are_undone(leak):
    change, read = LEAKS[leak]
    before = read()
    with contextlib.suppress(ZeroDivisionError), isolation.preserved_state():  # also if it ends in an exception
        change()
        sys.settrace(sys.gettrace()) if leak == "trace" else None
        assert leak in ("a module", "another seed") or read() != before
        raise ZeroDivisionError
    assert read() == before


def test_preserved_state_nests_and_survives_a_deleted_folder(tmp_path):
    before = os.getcwd()
    with isolation.preserved_state(), isolation.preserved_state():
        os.chdir(tmp_path)
        tmp_path.rmdir()
    assert os.getcwd() == before
