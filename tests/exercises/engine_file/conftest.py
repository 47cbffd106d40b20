"""Each test of the learner's engine has an empty folder."""

import pytest

from tests import learners_files


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder for the engine, and for progress, and nothing that waits."""
    learners_files.begin_in(tmp_path, monkeypatch)
    return tmp_path
