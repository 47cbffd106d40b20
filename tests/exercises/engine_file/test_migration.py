"""Fifty files of the earlier form, all stages, changed in 25 ways, become one class with nothing lost."""

import json
import lzma
import re
from pathlib import Path

import pytest

from exercises.engine_file import loading, migration, store, trial
from exercises.engine_file.places import FILE, FILES, slots_of
from tests.learners_files import text_in

CASES = json.loads(lzma.decompress(Path(__file__).parents[2].joinpath("approved/old_engines.json.xz").read_bytes()))
"""Each: its name, text, {part: the learner's text}, the code below the parts, and what the old code computed with it:
"values" of trial.NUMBERS or None, "twice" (value and gradient of a·a + a at 3), "works" (what was wrong, or "")."""
REPLACED = {"add": ("add_rule", "collect"), "multiply": ("multiply_rule", "collect"), "power": ("functions",)}


def lines(text):
    """Return the lines of a text that must be found again: without names that change, and heads of definitions."""
    text = re.sub(r"help_\w+\(", "help(", re.sub(r"(?m)^ *[\w.]+ = (?=lambda)", "", text))
    return {
        line.strip() for line in text.split("\n") if line.strip() and not line.strip().startswith(("def ", "class "))
    }


def given(name):
    """Return the lines of the course's text for a part, as the old code had them."""
    text = next(case["text"] for case in CASES if name not in case["own"] and f"# ── {name} ·" in case["text"])
    return lines(re.search(rf"# ── {name} .*\n(?s:(.*?))\n# ── ", text)[1])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_migration_preserves_learners_code_and_results(case):
    assert migration.is_old(case["text"])
    sources = migration.migrated(case["text"])
    texts = "\n".join(sources.texts().values())
    assert not migration.is_old(texts) and "Put to work" not in texts
    for name, text in case["own"].items():
        if not any(other in case["own"] for other in REPLACED.get(name, ())):
            exercise = "product" if name == "multiply" else name
            is_asked = exercise in migration.GIVES
            assert not is_asked or any(map(sources.is_theirs, slots_of(exercise))), name
            missing = lines(text) - lines(texts) - (set() if is_asked else given(name))
            assert not missing
    assert lines(case["extra"]) <= lines(texts)
    namespace, broken = trial.build(sources, Path("/nowhere", FILE))
    assert not broken
    assert trial.works(namespace.names) == case["works"]
    if not case["works"]:  # else the course's sigmoid, made of the learner's +, is wrong now as well
        got = [trial.passed_back(namespace.names["Value"], f, trial.NUMBERS) for f in (trial.on_numbers, trial.on_two)]
        assert [*got[0], *got[1]] == pytest.approx(case["values"], rel=1e-9, abs=1e-12)
    a = namespace.names["Value"](3.0)
    b = a * a + a
    b.backward()
    assert [b.data, a.grad] == case["twice"]


def test_load_migrates_an_old_file_and_keeps_a_copy(folder):
    case = next(case for case in CASES if case["name"].startswith("crlf"))
    data = case["text"].encode()
    (folder / FILE).write_bytes(data)
    engine = loading.load("03")
    (copy,) = [path for path in folder.glob("my_*.py") if path.name not in FILES]
    assert copy.read_bytes() == data and engine._notes == [f"{store.NEW_FORM} The file as it was is now {copy.name}."]
    assert engine.seven == 7 if hasattr(engine, "seven") else "seven = 7" in text_in(folder)
    assert not loading.load("03")._notes and not migration.is_old(text_in(folder))
