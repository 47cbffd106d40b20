"""Editions: the table that something was drawn from, so that it is judged as drawn, or refused with a sentence.

A table may grow at its end. What was drawn from its first 27 entries is drawn again from these 27, as long as they are
unchanged.
"""

import hashlib
import itertools
import json


class Changed(ValueError):
    """A draw that cannot be repeated; the message says why."""


def edition(table):
    """Return the edition of a table, {key: plain data}: its length and a hash of its entries, as "27-3fa9c01b"."""
    text = json.dumps(list(table.items()), ensure_ascii=False)
    return f"{len(table)}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def keys_of(table, drawn_from, what):
    """Return the keys of a table in an edition. Raise Changed, with a sentence on `what`, if they have changed."""
    count = drawn_from.partition("-")[0] if isinstance(drawn_from, str) else ""
    first = dict(itertools.islice(table.items(), int(count) if count.isdecimal() and len(count) < 9 else 0))
    if edition(first) != drawn_from:
        raise Changed(
            f"{what} is from a different edition of the course ({drawn_from!s:.40}; here it is "
            f"{edition(table)}), and cannot "
            "be drawn again."
        )
    return list(first)
