"""A notebook that has changed the package: a check judges with the package as it was, and says so."""

import autograd
from autograd.dual import Dual
from exercises import check, library, pristine


def verdict():
    """What the check of lesson 08's neuron says to its solution, which computes with the package's Value."""
    return check.neuron(*check.neuron.answers(library.solution("neuron").code))


def test_a_patched_operation_changes_no_verdict_and_is_mentioned(monkeypatch):
    def patched(self, other):
        return autograd.Value(0.0)

    monkeypatch.setattr(autograd.Value, "__mul__", patched)
    found = verdict()
    assert found, found
    assert "this notebook has changed the package itself (autograd.value.Value.__mul__)" in found.text()
    assert autograd.Value.__mul__ is patched  # what the notebook did stays for its own cells


def test_functions_other_classes_and_a_missing_member_are_seen_too(monkeypatch):
    monkeypatch.setattr(Dual, "exp", None)
    monkeypatch.setattr(autograd, "topological_order", lambda root: [])
    monkeypatch.delattr(autograd.Neuron, "parameters")
    with pristine.package() as said:
        assert callable(Dual.exp) and "parameters" in vars(autograd.Neuron)
        assert len(autograd.topological_order(autograd.Value(1.0) + 1)) == 3
    assert said.count("autograd") == 2 and "and 1 more" in said
    assert Dual.exp is None and "parameters" not in vars(autograd.Neuron)


def test_a_new_operation_of_ones_own_is_no_change(monkeypatch):
    monkeypatch.setattr(autograd.Value, "cube", lambda self: self * self * self, raising=False)
    with pristine.package() as said:
        assert said == "" and autograd.Value(2.0).cube().data == 8.0


def test_nothing_is_said_of_a_package_as_it_was():
    assert "this notebook has changed" not in verdict().text()
