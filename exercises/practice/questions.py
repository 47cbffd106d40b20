"""`question`: a question of the gym, given a level and a seed, with the mistakes that give other answers."""

import random

from exercises.practice import arrays, graphs

LEVELS = {
    **{
        level: f"{count} operation{'s' * (count > 1)}: {' '.join(known)}"
        for level, (known, count) in graphs.LEVELS.items()
    },
    9: "arrays: shapes, products and axes",
    10: "arrays: an entry of a gradient",
    11: "arrays: rows looked up, and softmax",
}
TRIES = 2  # the number of questions from which the best match is taken
MOST = 30  # the most, until one has the first preference


def question(level, seed, prefer=()):
    """Return the Question of a level, 1 to 11, for a seed.

    prefer: names of patterns and mistakes; the question with most of them is taken. Raise ValueError for another level.
    """
    checked(level)
    attempt = graphs.attempt if level in graphs.LEVELS else arrays.attempt
    rng, found = random.Random(f"{level} {seed}"), []
    while len(found) < (TRIES if prefer else 1) or (prefer and len(found) < MOST and not met(found[-1], prefer[:1])):
        made = attempt(level, rng)
        found += [made] if made else []
    return max(found, key=lambda made: met(made, prefer))


def checked(level):
    """Return a level if it is valid; else raise ValueError."""
    if isinstance(level, bool) or not isinstance(level, int) or level not in LEVELS:
        raise ValueError(f"level is a whole number from 1 to {max(LEVELS)}, got {level!r:.80}.")
    return level


def met(made, prefer):
    """Return a score for how many of these patterns and mistakes a question has; the first matters most."""
    names = {*made.patterns, *(mistake.name for mistake in made.wrong)}
    return sum(2.0**-i for i, name in enumerate(prefer) if name in names)
