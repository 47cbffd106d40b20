"""The checks refuse a fixed sample of the automatic mutants; `python -m benchmarks.mutants` tries all of them."""

import hashlib

import pytest

from benchmarks.mutants import equivalent, mutants, survives
from exercises.engine_file import check
from exercises.sandbox import guard

EACH = 8  # mutants of an exercise; all of them take minutes


def sample(name):
    """Return the mutants whose texts have the smallest hashes, without those that do what the solution does."""
    known = equivalent().get(name, {})
    different = [mutant for mutant in mutants(name) if "*" not in known and mutant.change not in known]
    return sorted(different, key=lambda mutant: hashlib.sha256(mutant.code.encode()).hexdigest())[:EACH]


@pytest.mark.parametrize("name", check.LESSON_OF)
def test_sampled_mutants_are_rejected(name, monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.6)
    accepted = [f"{mutant.words}: `{mutant.change.strip()}`" for mutant in sample(name) if survives(name, mutant)]
    assert not accepted, (
        f"{name} accepts {accepted}: it needs a test, or a reason in benchmarks/equivalent_mutants.toml"
    )


@pytest.mark.long
def test_equivalent_mutants_exist_and_have_reasons():
    for name, changes in equivalent().items():
        made = {mutant.change for mutant in mutants(name)}
        assert set(changes) - {"*"} <= made, name
        assert [reason for reason in changes.values() if not reason.strip()] == []
