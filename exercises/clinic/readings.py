"""An instrument of the clinic, its dials, and a reading of it."""

from dataclasses import dataclass

import numpy as np

from exercises.clinic import pictures


@dataclass(frozen=True)
class Dial:
    """A part of an instrument. word: a function of its numbers. healthy, noticed: usual words, and some maybe meant."""

    name: str
    title: str
    word: object
    healthy: tuple
    noticed: tuple = ()

    def ill(self, word):
        """Return whether no healthy program gives this word."""
        return word not in (*self.healthy, *self.noticed)


def dial(title, *healthy, noticed=()):
    """Make a Dial of the function that it decorates."""
    return lambda word: Dial(word.__name__, title, word, healthy, noticed)


@dataclass(frozen=True)
class Instrument:
    """A question, how to measure it (a generator of a Run's numbers), a sentence for the reading, and dials."""

    title: str
    asks: str
    measure: object
    says: object
    dials: tuple

    @property
    def name(self):
        """The name of the function that measures."""
        return self.measure.__name__


@dataclass(frozen=True)
class Reading:
    """The reading of an instrument: its numbers, and the word of each dial."""

    instrument: Instrument
    numbers: dict
    words: dict

    @property
    def says(self):
        """The reading as a sentence."""
        return self.instrument.says(self.numbers)

    def shown(self, word):
        """Return a dial's word as learners read it: no first loss in numbers is near that of guessing, about 1."""
        return "usual" if word == "near guessing" and self.numbers.get("guess", 1) is None else word

    @property
    def dials(self):
        """[(Dial, its word)] of this instrument."""
        return [(dial, self.words[dial.name]) for dial in self.instrument.dials]

    def layers(self, *places):
        """Return {name: sizes of the gradients} of layers, from 1, which `figures.gradient_histogram` takes."""
        return {f"layer {i}": 10 ** np.array(self.numbers["logs"][i - 1]) for i in places}

    def __repr__(self):
        return f"{self.instrument.title}: {self.says}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return pictures.bundle(self)


class Readings:
    """Several Readings: a notebook shows them side by side."""

    def __init__(self, found):
        self.found = tuple(found)

    def __iter__(self):
        return iter(self.found)

    def __repr__(self):
        return "\n".join(map(repr, self.found))

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": "".join(map(pictures.beside_others, self.found)), "text/plain": repr(self)}


def reading(program, instrument):
    """Return a generator that yields while an instrument works on a program, and returns its Reading."""
    numbers = yield from quietly(instrument.measure(program.begin()))
    with np.errstate(all="ignore"):
        return Reading(instrument, numbers, {dial.name: dial.word(numbers) for dial in instrument.dials})


def quietly(generator):
    """Run a generator without NumPy's warnings; between its pieces, the caller still has them."""
    while True:
        with np.errstate(all="ignore"):
            try:
                next(generator)
            except StopIteration as end:
                return end.value
        yield


def finished(generator):
    """Run a generator to its end and return its result."""
    while True:
        try:
            next(generator)
        except StopIteration as end:
            return end.value
