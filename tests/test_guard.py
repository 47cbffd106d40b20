"""A learner's code under guard: endless loops are stopped, in a kernel too, and exceptions become two lines."""

import contextlib
import threading
import time

import nbformat
import pytest

from exercises import guard
from exercises.guard import TimeUp, Trouble, Unfinished, guarded, trying
from tests import lessons


def endless():
    while True:
        pass


def careless():
    while True:
        with contextlib.suppress(Exception):
            [].pop()


@pytest.mark.parametrize("function", [endless, careless])
def test_an_endless_loop_is_stopped(function):
    with pytest.raises(TimeUp):
        guarded(function, seconds=0.2)


def test_what_ends_is_returned_and_nothing_is_raised_later():
    for _ in range(20):
        assert guarded(lambda: sum(range(1000)), seconds=0.01) == 499500
    end = time.monotonic() + 0.3
    while time.monotonic() < end:  # a late exception would arrive here
        pass
    assert threading.active_count() < 20


def test_it_works_in_a_thread_that_is_not_the_main_one():
    seen = []

    def run():
        try:
            guarded(endless, seconds=0.2)
        except TimeUp:
            seen.append("stopped")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(20)
    assert seen == ["stopped"]


def test_an_endless_loop_is_stopped_in_a_kernel_which_is_usable_afterwards():
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("from exercises import check"),
            nbformat.v4.new_code_cell("def slope(f, x, h):\n    while True:\n        pass"),
            nbformat.v4.new_code_cell("check.slope(slope)"),
            nbformat.v4.new_code_cell("6 * 7"),
        ]
    )
    ran = lessons.run(notebook)
    assert "stopped" in lessons.verdicts(ran)["slope"]
    assert ran.cells[-1].outputs[0].data["text/plain"] == "42"


def test_an_exception_becomes_two_lines_that_name_the_learners_line():
    def learners(x):
        wrong_name = x
        return wrong_name / 0

    with pytest.raises(Trouble) as told, trying("learners(3)"):
        learners(3)
    tested, raised = told.value.sentences
    assert tested == "Tested: learners(3)."
    assert raised.startswith("It raised ZeroDivisionError: division by zero, in learners, line ")
    assert raised.endswith("return wrong_name / 0")


def test_runaway_recursion_is_said_as_such():
    def again():
        return again()

    with pytest.raises(Trouble, match="RecursionError"), trying("again()"):
        again()


def test_a_stubs_error_is_no_error():
    def stub():
        raise NotImplementedError

    with pytest.raises(Unfinished), trying("stub()"):
        stub()


def test_what_a_learner_prints_is_kept_back(capsys):
    with trying("print"):
        print("a hundred times")
    assert capsys.readouterr().out == ""


def test_the_limit_is_a_few_seconds():
    assert 1 <= guard.SECONDS <= 5
