"""Editions: from which table something was drawn, so that it is judged as it was drawn, or refused with a sentence.

A table may grow at its end. What was drawn from its first 27 entries is drawn again from these 27, as long as they are
what they were.
"""

import hashlib
import itertools
import json


class Changed(ValueError):
    """A draw that cannot be made again: its sentence says why."""


def edition(table):
    """The edition of a table, {key: plain data}: how many entries it has, and a hash of them, as "27-3fa9c01b"."""
    text = json.dumps(list(table.items()), ensure_ascii=False)
    return f"{len(table)}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def keys_of(table, drawn_from, what):
    """The keys that a table had in an edition. Raises Changed, with a sentence on `what`, if they are not as then."""
    count = drawn_from.partition("-")[0] if isinstance(drawn_from, str) else ""
    first = dict(itertools.islice(table.items(), int(count) if count.isdecimal() and len(count) < 9 else 0))
    if edition(first) != drawn_from:
        raise Changed(
            f"{what} is of another edition of the course ({drawn_from!s:.40}; here it is {edition(table)}), and cannot "
            "be drawn again as it was."
        )
    return list(first)
