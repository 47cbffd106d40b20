"""Serialization between the process that runs a learner's code and the one that judges it: plain data, checked here."""

import json

from exercises.verdicts.results import NOT_YET, PASSED, WRONG, Observation, Seen, will_do

DEEPEST = 40  # nested lists
MOST = 2_000  # tests, and rows of a test
SEQUENCES = {list: "list", tuple: "tuple", set: "set", frozenset: "frozenset"}
MAKERS = {name: kind for kind, name in SEQUENCES.items()}
NAME_OF = type.__dict__["__name__"].__get__  # even if a learner's class redefines its name
FIELDS = ("says", "case", "ended", "because", "rows")  # of a test


class Strange(Exception):
    """The received data do not have the agreed form; the message says how."""


class Other:
    """A stand-in for an object that is not plain data: a learner's, of which only the type is known."""

    def __init__(self, kind):
        self.kind = kind

    def __repr__(self):
        return f"<{self.kind}>"


def packed(thing, depth=0):
    """Convert plain data to JSON's types: a subclass of a number or a text to that, others to their type's name."""
    if thing is None or type(thing) is bool:
        return thing
    for kind, bare in ((int, int.__pos__), (float, float.__pos__), (str, str.__str__)):
        if issubclass(type(thing), kind):
            return bare(thing) if kind is not int or int.bit_length(thing) < 10_000 else {"other": "int"}
    if thing is ...:
        return {"dots": 0}
    if type(thing).__module__ == "numpy" and not getattr(thing, "shape", None) and hasattr(thing, "item"):
        return packed(thing.item(), DEEPEST) if depth < DEEPEST else {"other": "number"}
    for kind, name in SEQUENCES.items():
        if issubclass(type(thing), kind) and depth < DEEPEST:
            return {name: [packed(each, depth + 1) for each in kind.__iter__(thing)]}
    if issubclass(type(thing), dict) and depth < DEEPEST:
        return {"dict": [[packed(each, depth + 1) for each in pair] for pair in dict.items(thing)]}
    return {"other": NAME_OF(type(thing))[:80]}


def is_plain(thing):
    """Return whether packing an object loses nothing."""
    return '{"other": ' not in json.dumps(packed(thing))


def unpacked(data):
    """Return the plain data that were packed. Raise Strange for anything else."""
    if data is None or isinstance(data, bool | int | float | str):
        return data
    if not isinstance(data, dict) or len(data) != 1:
        raise Strange("a value of an unknown form")
    ((form, held),) = data.items()
    if form == "dots":
        return ...
    if form == "other":
        return Other(text(held, 80))
    if not isinstance(held, list):
        raise Strange("a value of an unknown form")
    try:
        if form == "dict":
            return {unpacked(key): unpacked(value) for key, value in held}
        return MAKERS[form](map(unpacked, held))
    except (KeyError, TypeError, ValueError):
        raise Strange("a value of an unknown form") from None


def of_observation(found, retold=""):
    """Convert an Observation to data.

    retold: the check's. For a pass, leave out all expected values that the judging process knows.
    """
    bare = found.state == PASSED and retold not in ("more", "own")
    tests, unseen = ([of_test(test, bare) for test in tests] for tests in (found.tests, found.unseen))
    fields = {"state": found.state, "said": found.said, "source": found.source, "seed": found.seed}
    return {name: packed(each) for name, each in fields.items()} | {"tests": tests, "unseen": unseen}


def of_test(test, bare):
    """Convert a Seen to data, without its graph. A row gets its verdict only if the row itself does not show it.

    bare: without the expected values.
    """
    rows = []
    for row in test.rows:
        if bare:
            rows.append([packed(row[0]), None, packed(row[2])])
            continue
        told = len(row) > 3 or not is_plain(row[1:3])
        rows.append([*map(packed, row[:3]), *([will_do(row)] if told else [])])
    texts = {"says": packed(test.says), "case": packed(test.case), "ended": packed(test.ended)}
    return texts | {"because": [*map(packed, test.because)], "rows": rows}


def observation(name, data):
    """Return the Observation of an exercise from data. Raise Strange if they do not fit."""
    if not isinstance(data, dict):
        raise Strange("no observation")
    state, seed = data.get("state"), data.get("seed")
    if state not in (PASSED, NOT_YET, WRONG):
        raise Strange("an unknown state")
    if type(seed) is not int or not 0 <= seed < 2**64:
        raise Strange("a seed that is none")
    tests, unseen = (tuple(map(test_of, several(data.get(part)))) for part in ("tests", "unseen"))
    return Observation(name, text(data.get("source")), state, tests, text(data.get("said")), seed, unseen)


def test_of(data):
    if not isinstance(data, dict) or set(data) != set(FIELDS):
        raise Strange("a test of an unknown form")
    because = tuple(map(text, several(data["because"])))
    rows = tuple(map(row_of, several(data["rows"])))
    return Seen(text(data["says"]), rows, text(data["case"]), None, because, text(data["ended"]))


def row_of(data):
    """Return a row of a Seen from data: (what, expected, got), or with its verdict."""
    if not isinstance(data, list) or len(data) not in (3, 4) or not isinstance(data[3:] == [] or data[3], bool):
        raise Strange("a row of an unknown form")
    return (text(data[0]), unpacked(data[1]), unpacked(data[2]), *data[3:])


def several(data):
    """Return a list unchanged; raise Strange if it is no list or too long."""
    if not isinstance(data, list) or len(data) > MOST:
        raise Strange("no list, or a very long one")
    return data


def text(data, most=2**20):
    """Return a text unchanged; raise Strange if it is no text or too long."""
    if not isinstance(data, str) or len(data) > most:
        raise Strange("no text, or a very long one")
    return data


def lines(written):
    """Return the objects among the lines of JSON that a process has written, leaving out anything else."""
    found = []
    for line in written.decode("utf-8", "replace").split("\n"):
        try:
            piece = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(piece, dict):
            found.append(piece)
    return found
