"""Each test of the learner's engine has an empty folder."""

import pytest

from tests import forked, learners_files


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return an empty folder for the engine and for progress, with nothing that waits."""
    learners_files.begin_in(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture(scope="module")
def notebook():
    """Return a kernel with the course imported; each trial runs in a copy of it, with its own folders."""
    with forked.kernel() as running:
        running.run(learners_files.IMPORTS)
        yield running
