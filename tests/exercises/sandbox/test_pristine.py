"""A notebook that has changed the package: a check judges with the package as it was, and says so."""

import builtins
import contextlib
import decimal
import gc
import math
import os
import random
import signal
import sys
import tempfile
import types
import warnings

import numpy as np
import pytest

import autograd
from autograd.dual import Dual
from exercises.engine_file import check
from exercises.sandbox import pristine
from exercises.shelf import library
from exercises.verdicts import cases, seen


def verdict():
    """What the check of lesson 08's neuron says to its solution, which computes with the package's Value."""
    return check.neuron(*check.neuron.answers(library.solution("neuron").code))


def test_a_patched_operation_changes_no_verdict_and_is_mentioned(monkeypatch):
    assert "this notebook has changed" not in verdict().text()
    monkeypatch.setattr(autograd.Value, "__mul__", patched := lambda self, other: autograd.Value(0.0))
    found = verdict()
    assert found, found
    assert "this notebook has changed the package itself (autograd.value.Value.__mul__)" in found.text()
    assert autograd.Value.__mul__ is patched  # what the notebook did stays for its own cells


def test_functions_other_classes_and_a_missing_member_are_seen_too_and_a_new_operation_is_no_change(monkeypatch):
    monkeypatch.setattr(autograd.Value, "cube", lambda self: self * self * self, raising=False)
    with pristine.package() as said:
        assert said == "" and autograd.Value(2.0).cube().data == 8.0
    monkeypatch.setattr(Dual, "exp", None)
    monkeypatch.setattr(autograd, "topological_order", lambda root: [])
    monkeypatch.delattr(autograd.Neuron, "parameters")
    with pristine.package() as said:
        assert callable(Dual.exp) and "parameters" in vars(autograd.Neuron)
        assert len(autograd.topological_order(autograd.Value(1.0) + 1)) == 3
    assert said.count("autograd") == 2 and "and 1 more" in said
    assert Dual.exp is None and "parameters" not in vars(autograd.Neuron)


MEMBERS = [(builtins, "all"), (builtins, "max"), (builtins, "print"), (math, "isclose"), (random, "Random")]
MEMBERS += [(cases, "cases"), (seen, "alike"), (seen.Seen, "__init__")]


@pytest.mark.parametrize(("thing", "name"), MEMBERS)
def test_what_a_check_works_with_is_right_while_it_lasts(thing, name, monkeypatch):
    right, wrong = getattr(thing, name), types.SimpleNamespace
    monkeypatch.setattr(thing, name, wrong)
    with pristine.world() as said:
        assert getattr(thing, name) is right
        setattr(thing, name, wrong)  # an answer does it once more
    assert getattr(thing, name) is wrong
    assert "has changed what the checks work with" in said[0] and name in said[0]


def test_what_an_answer_makes_of_them_is_undone_after_each_call():
    def slope(f, x, h):
        builtins.all = lambda *_: True
        return 3.0

    with pristine.world() as said:
        assert not check.slope.judge(slope, compares=False)
    assert said == [] and all([1, 0]) is False


def test_a_notebooks_own_builtins_stay(monkeypatch):
    monkeypatch.setattr(builtins, "display", print, raising=False)
    monkeypatch.setattr(builtins, "input", None)
    with pristine.world() as said:
        assert builtins.display is print and builtins.input is None
    assert said == []


LEAKS = {  # what is left behind, and what it is read by
    "folder": (lambda: os.chdir(tempfile.gettempdir()), os.getcwd),
    "environment": (lambda: os.environ.update(A_LEAK="1"), lambda: os.environ.get("A_LEAK")),
    "mask": (lambda: os.umask(0o077), pristine.mask),
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
def test_what_an_answer_changes_outside_itself_is_put_back(leak):
    change, read = LEAKS[leak]
    before = read()
    with contextlib.suppress(ZeroDivisionError), pristine.world():  # also if it ends in an exception
        change()
        sys.settrace(sys.gettrace()) if leak == "trace" else None
        assert leak in ("a module", "another seed") or read() != before
        raise ZeroDivisionError
    assert read() == before


def test_worlds_nest_and_a_folder_that_is_gone_is_no_error(tmp_path):
    before = os.getcwd()
    with pristine.world(), pristine.world():
        os.chdir(tmp_path)
        tmp_path.rmdir()
    assert os.getcwd() == before
