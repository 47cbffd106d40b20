"""One instrument on several programs: their readings beside each other, each under its program's name."""

from exercises.clinic import pictures
from exercises.clinic.instruments import INSTRUMENTS
from exercises.clinic.patients import patient


class Compared:
    """What an instrument read: {name of a program: Reading}."""

    def __init__(self, readings):
        self.readings = readings

    @property
    def losses(self):
        """{name: [(epoch, mean loss), …]} of loss curves, as `figures.curves` draws them."""
        return {name: list(enumerate(found.numbers["epochs"], 1)) for name, found in self.readings.items()}

    def __repr__(self):
        return "\n".join(f"{name}. {reading!r}" for name, reading in self.readings.items())

    def _repr_mimebundle_(self, include=None, exclude=None):
        drawn = "".join(pictures.beside_others(each, name) for name, each in self.titled())
        return {"text/html": drawn, "text/plain": repr(self)}

    def titled(self):
        """(name, Reading) of each program, the name as it is written above its picture."""
        return [(name.replace("_", " "), reading) for name, reading in self.readings.items()]


def compare(instrument, *programs):
    """The readings of an instrument, by its name, on programs as `patient` takes them: 1 to 8, "healthy", "A", …

    ValueError, TypeError: where there is no such instrument, or no such program.
    """
    if instrument not in INSTRUMENTS:
        raise ValueError(f"compare takes an instrument first: one of {', '.join(INSTRUMENTS)}; got {instrument!r}.")
    return Compared({str(program): patient(program).read(instrument) for program in programs})
