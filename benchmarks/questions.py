"""The time that the gym takes to make a question and to draw it, level by level."""

import time

from benchmarks.measure import Outcome
from exercises.practice.drawing import drawn
from exercises.practice.questions import LEVELS, question

MOST = 0.050  # seconds that a question may take


def measure_questions(rounds):
    """Return {level: Outcome}: seconds of processor time to make and to draw each of so many questions."""
    outcomes = {level: Outcome() for level in LEVELS}
    for level, outcome in outcomes.items():
        drawn(question(level, "before"))  # reads and compiles what it needs once
        for i in range(rounds):
            start = time.process_time()
            made = question(level, i)
            between = time.process_time()
            drawn(made)
            outcome.seconds.setdefault("made", []).append(between - start)
            outcome.seconds.setdefault("drawn", []).append(time.process_time() - between)
    return outcomes
