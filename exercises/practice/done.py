"""The end of an evening: its picture saved, and the days on which to come back."""

import datetime

from exercises.content import lessons
from exercises.engine_file import store
from exercises.storage import progress
from exercises.storage.schedule import DAYS, format_date

EVENINGS = {notebooks[-1]: n for n, notebooks in enumerate(lessons.EVENINGS)}  # {the notebook that ends it: evening}
AS_SVG = "done() saves things with a savefig, such as a graph or a chart; this is a {}."


class Done:
    """A picture, under the sentences on where it was saved and when to come back."""

    def __init__(self, picture, says):
        self.picture, self.says = picture, says

    def __repr__(self):
        return "\n".join(self.says)

    def _ipython_display_(self):
        from IPython.display import display

        display(self.picture)
        print(self)


def done(picture, today=None):
    """Save an evening's picture next to my_engine.py, record the day, and return both to be shown.

    picture: a graph or a chart of `figures`, or any other object with `savefig`. today: a datetime.date, for tests.
    TypeError for anything else.
    """
    if not callable(getattr(picture, "savefig", None)):
        raise TypeError(AS_SVG.format(type(picture).__name__))
    evening, today = EVENINGS.get(lessons.here()), today or datetime.date.today()
    place = store.path().with_name("evening.svg" if evening is None else f"evening_{evening}.svg")
    says = [f"Saved as {place.name}."]
    try:
        picture.savefig(place)
    except (OSError, ValueError) as fault:
        says = [f"The picture could not be saved as {place.name}: {fault}."]
    if evening is not None:
        progress.note("evenings", str(evening), today.isoformat())
    tomorrow, *later = [today + datetime.timedelta(days=days) for days in DAYS[1:]]
    if evening != max(EVENINGS.values()):
        says.append(f"Your next evening: tomorrow, {format_date(tomorrow)}. It starts with questions on this one.")
    says.append(f"Good days to answer such questions again: {', '.join(map(format_date, (tomorrow, *later)))}.")
    return Done(picture, says)
