"""`compare`: one instrument on several programs, each reading under its program's name."""

import re

import exercises


def test_compare_labels_each_reading_with_its_program():
    compared = exercises.compare("small_step", "healthy", "wrong_sign")
    one, other = repr(compared).splitlines()
    assert one.startswith("healthy. One small step: ") and one.endswith("Ratio: 1.000.")
    assert other.startswith("wrong_sign. One small step: ") and other.endswith("Ratio: -1.")
    page = compared._repr_mimebundle_()["text/html"]
    assert re.findall(r"<b>(.*?)</b>", page) == ["healthy", "wrong sign"]


def test_compare_does_not_reveal_the_causes_of_three_programs():
    curves = exercises.compare("curve", "A", "B", "C")
    assert list(curves.losses) == ["A", "B", "C"]
    for name, points in curves.losses.items():
        losses = exercises.patient(name).read("curve").numbers["epochs"]
        assert points == [(epoch + 1, loss) for epoch, loss in enumerate(losses)]
    assert [name for name in "ABC" if exercises.patient(name).fault.key in repr(curves)] == []
