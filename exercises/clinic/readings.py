"""An instrument of the clinic, its dials, and a reading of it."""

import math
from dataclasses import dataclass

import numpy as np

from exercises.clinic import pictures
from exercises.clinic.numbers import number


@dataclass(frozen=True)
class Dial:
    """A part of an instrument. word: a function of its numbers. healthy: the words that a healthy program gives."""

    name: str
    title: str
    word: object
    healthy: tuple


@dataclass(frozen=True)
class Instrument:
    """What is measured, in words; how (a generator of a Run's numbers); its dials; and its reading as a sentence."""

    name: str
    title: str
    asks: str
    measure: object
    dials: tuple
    says: object
    minutes: int = 1


@dataclass(frozen=True)
class Reading:
    """What an instrument read: its numbers, and the word of each dial."""

    instrument: Instrument
    numbers: dict
    words: dict

    @property
    def says(self):
        """The reading as a sentence."""
        return self.instrument.says(self.numbers)

    def __repr__(self):
        return f"{self.instrument.title}: {self.says}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return pictures.bundle(self)


def reading(program, instrument):
    """A generator that yields while an instrument works on a program, and returns its Reading."""
    numbers = yield from quietly(instrument.measure(program.begin()))
    with np.errstate(all="ignore"):
        return Reading(instrument, numbers, {dial.name: dial.word(numbers) for dial in instrument.dials})


def quietly(generator):
    """A generator that does as another does, without NumPy's warnings; whoever works between its pieces has them."""
    while True:
        with np.errstate(all="ignore"):
            try:
                next(generator)
            except StopIteration as end:
                return end.value
        yield


def finished(generator):
    """What a generator returns, run to its end."""
    while True:
        try:
            next(generator)
        except StopIteration as end:
            return end.value


def size(*arrays):
    """The length of all numbers of some arrays as one vector."""
    return math.hypot(*(float(np.sqrt(np.sum(np.square(array)))) for array in arrays))


def numbers(xs):
    """Some numbers in a row."""
    return ", ".join(map(number, xs))


def change(found):
    """Whether training changes them."""
    return "changed" if abs(found["after"] - found["train"][1]) > 0.01 * found["train"][1] else "as they were"
