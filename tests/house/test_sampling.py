"""A plain run's sample: the same for one seed, different for another; every case with `--all`; short tables whole."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import sampling


@pytest.fixture
def drawing(monkeypatch):

    def begin(seed="", everything=False):
        monkeypatch.setattr(sampling.Drawing, "seed", seed)
        monkeypatch.setattr(sampling.Drawing, "everything", everything)

    return begin


CASES = [f"case {i}" for i in range(200)]


def test_seed_determines_the_sample(drawing):
    drawing("one")
    first, again = sampling.sample(CASES, 40), sampling.sample(CASES, 40)
    drawing("two")
    other = sampling.sample(CASES, 40)
    assert first == again == sorted(first, key=CASES.index) and len(first) == len(set(first)) == 40
    assert first != other and len(other) == 40


def test_hundred_seeds_cover_every_case(drawing):
    tried = set()
    for seed in range(100):
        drawing(str(seed))
        tried.update(sampling.sample(CASES, 20))
    assert tried == set(CASES)


def test_everything_takes_all_cases_and_short_tables_are_whole(drawing):
    drawing("one", everything=True)
    assert sampling.sample(CASES, 3) == CASES and "--all" in sampling.Drawing.line()
    drawing("one")
    assert sampling.sample(CASES[:3], 3) == CASES[:3] and "--seed one" in sampling.Drawing.line()


def test_long_tests_are_sampled_as_one_table(drawing):
    def item(i, is_long):
        return SimpleNamespace(
            path=Path(f"test_{i}.py"), nodeid=f"test_{i}.py::test", cls=None, get_closest_marker=lambda mark: is_long
        )

    items = [item(i, i % 2) for i in range(80)]
    drawing("one")
    kept, left_out = sampling.sampled(items)
    assert len(left_out) == 35 and [each for each in left_out if not each.get_closest_marker("long")] == []
    assert sorted(kept + left_out, key=items.index) == items
    drawing("one", everything=True)
    assert sampling.sampled(items) == (items, [])


def test_lesson_tests_are_sampled_together(drawing):
    def item(stem, i):
        return SimpleNamespace(
            path=Path(f"{stem}.py"), nodeid=f"{stem}.py::test_{i}", cls=None, get_closest_marker=lambda mark: None
        )

    stems = [*(f"test_core_{number:02}" for number in range(11)), "test_browser_book", "test_site_page"]
    assert [stem for stem in stems if not list(Path(sampling.__file__).parent.rglob(f"{stem}.py"))] == []
    drawn = set()
    for seed in range(40):
        drawing(str(seed))
        kept = [each.path.stem for each in sampling.sampled([item(stem, i) for stem in stems for i in range(3)])[0]]
        assert [stem for stem in kept if kept.count(stem) != 3] == [] and len(set(kept)) == 5
        drawn.update(kept)
        assert len({"test_browser_book", "test_site_page"} & set(kept)) == 1
    assert drawn == set(stems)


def test_current_run_has_a_seed_or_takes_everything():
    assert sampling.Drawing.everything or sampling.Drawing.seed
    assert sampling.of_the_commit() == sampling.of_the_commit() != ""
