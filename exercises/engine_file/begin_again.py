"""`reset`: an exercise begun again, or the whole engine given back to the course."""

from exercises.engine_file import own
from exercises.shelf import library, progress


def reset(name=None):
    """Begin an exercise again, or give the whole engine back to the course.

    With a name: its progress is forgotten, a part of the learner's in `my_engine.py` becomes the course's again after a
    dated copy, and its stub comes back in a new cell below this one. Without: all parts become the course's.
    """
    if name is None:
        given = own.give_back() or f"No part of {own.FILE} is yours."
        return progress.Note(f"{given} Progress is as it was; exercises.progress.reset() forgets it.")
    if name not in library.names():
        return progress.Note(f"There is no exercise {name!r}. There are: {', '.join(library.names())}.")
    text, given = library.stub(name), own.give_back(name)
    progress.reset(name)
    said = " ".join([f"{name} is as if never tried.", *([given] if given else [])])
    try:
        from IPython import get_ipython

        get_ipython().set_next_input(text)
    except (ImportError, AttributeError):
        return progress.Note(f"{said} Its stub:\n\n{text}")
    return progress.Note(f"{said} Its stub stands in the cell below: run that cell instead of your own.")
