"""Every lesson in a real kernel, in orders nobody intended: cells alone, all at random; checks again and again.

Each lesson runs once, unsolved; every trial starts from the state after it, in a copy of the kernel. The classes, one
per lesson, may run in different processes.
"""

import itertools
import random
import re

import pytest

from exercises.content import library
from exercises.engine_file import parts
from tests import forked, notebooks
from tests.notebooks import wrong_answer


@pytest.fixture(scope="class")
def ran(request):
    """Return (the kernel after Run All, unsolved; the code cells with their texts) of the lesson of a class."""
    with forked.kernel() as running:
        yield running, forked.run_all(running, request.cls.path)


class InAnyOrder:
    """The trials of one lesson."""

    path = None

    def exercises(self, ran):
        """Return (name, the cell that checks it) of each exercise."""
        cells = [cell for cell, _ in ran[1]]
        return [
            (name, after.source) for cell, after in itertools.pairwise(cells) if (name := notebooks.exercise_of(cell))
        ]

    def test_run_all_ends_without_an_error(self, ran):
        assert not [(cell.source, text) for cell, text in ran[1] if forked.is_error(text)]

    def test_each_cell_alone_repeats_its_output(self, ran):
        running, cells = ran
        for cell, text in cells:
            if not forked.varies(cell):
                assert forked.normalise(running.tried(cell.source)[0]) == forked.normalise(text), cell.source

    def test_random_cell_order_repeats_the_outputs(self, ran):
        running, cells = ran
        mixed = random.Random(1).sample(cells, len(cells))
        found = running.tried(*(cell.source for cell, _ in mixed))
        for (cell, text), now in zip(mixed, found):
            if not forked.varies(cell):
                assert forked.normalise(now) == forked.normalise(text), cell.source

    def test_unsolved_exercise_stays_not_attempted(self, ran):
        running, _ = ran
        names, checks = ([each[i] for each in self.exercises(ran)] for i in (0, 1))  # a workshop may have none
        passed = f"[name for name in {names!r} if exercises.progress.tries(name) or exercises.progress.passed(name)]"
        *said, noted = running.tried(*checks, *checks, f"import exercises\n{passed}")
        assert [text for text in said if "not yet" not in text] == [], said
        assert noted == "[]"

    def test_solution_and_its_check_alone_pass(self, ran):
        for name, check in self.exercises(ran):
            verdict = ran[0].tried(library.solution(name).code, check)[-1]
            assert verdict.startswith(f"✓ {name}: yes."), (name, verdict)
            if name in parts.BY_NAME:
                assert "Saved to " in verdict, verdict

    def test_wrong_answer_and_its_check_do_not_pass(self, ran):
        for name, check in self.exercises(ran):
            verdict = ran[0].tried(wrong_answer(name), check)[-1]
            assert re.match(rf"[✗○] {name}: not ", verdict), (name, verdict)

    def test_wrong_answer_after_a_right_one_changes_nothing_saved(self, ran):
        show = "from exercises.engine_file import store\nprint(store.path().read_text())"
        for name, check in self.exercises(ran):
            if name in parts.BY_NAME:
                found = ran[0].tried(library.solution(name).code, check, show, wrong_answer(name), check, show)
                assert found[4].startswith("✗") and found[2] == found[5], (name, found[4])


for path in notebooks.EVERY:
    name = f"Test{path.stem.title().replace('_', '')}"
    globals()[name] = type(name, (InAnyOrder,), {"path": path})
