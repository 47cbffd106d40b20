"""What the checks of lesson 14 share."""

from exercises.judging.vocabulary import needs_functions


def needs_a_maker(**given):
    """Trouble where something is neither a function nor a class: a class, too, makes something that can be called."""
    if not all(isinstance(thing, type) for thing in given.values()):
        needs_functions(**given)
