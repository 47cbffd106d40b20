"""Read one instrument on several programs, and show the readings side by side, each under its program's name."""

from exercises.clinic import pictures
from exercises.clinic.instruments import INSTRUMENTS
from exercises.clinic.patients import patient


class Compared:
    """The readings of one instrument: {name of a program: Reading}."""

    def __init__(self, readings):
        self.readings = readings

    @property
    def losses(self):
        """The loss curves as {name: [(epoch, mean loss), …]}, which `figures.curves` draws."""
        return {name: list(enumerate(found.numbers["epochs"], 1)) for name, found in self.readings.items()}

    def __repr__(self):
        return "\n".join(f"{name}. {reading!r}" for name, reading in self.readings.items())

    def _repr_mimebundle_(self, include=None, exclude=None):
        drawn = "".join(pictures.beside_others(each, name) for name, each in self.titled())
        return {"text/html": drawn, "text/plain": repr(self)}

    def titled(self):
        """Return (name, Reading) for each program; the name is the heading of its picture."""
        return [(name.replace("_", " "), reading) for name, reading in self.readings.items()]


def compare(instrument, *programs):
    """Return the readings of an instrument on several programs.

    instrument: its name. programs: as `patient` takes them: 1 to 8, "healthy", "A", …
    Raise ValueError or TypeError if there is no such instrument, or no such program.
    """
    if instrument not in INSTRUMENTS:
        raise ValueError(f"compare takes an instrument first: one of {', '.join(INSTRUMENTS)}; got {instrument!r}.")
    return Compared({str(program): patient(program).read(instrument) for program in programs})
