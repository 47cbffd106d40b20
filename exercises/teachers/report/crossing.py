"""What crosses from where a learner's code ran to where it is judged: plain data, made here and checked here."""

import json

from exercises.verdicts.seen import NOT_YET, PASSED, WRONG, Observation, Seen, will_do

DEEPEST = 40  # lists within each other
MOST = 2_000  # tests, and rows of one
SEQUENCES = {list: "list", tuple: "tuple", set: "set", frozenset: "frozenset"}
MAKERS = {name: kind for kind, name in SEQUENCES.items()}
NAME_OF = type.__dict__["__name__"].__get__  # whatever a learner's class says of its name
FIELDS = ("says", "case", "ended", "because", "rows")  # of a test


class Strange(Exception):
    """What came is not what was agreed: its sentence says in what."""


class Other:
    """What stood in a place of plain data and is none: a learner's object, of which only the kind is known."""

    def __init__(self, kind):
        self.kind = kind

    def __repr__(self):
        return f"<{self.kind}>"


def packed(thing, depth=0):
    """Plain data as JSON holds it. A subclass of a number or a text is taken for that; of anything else its kind."""
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
    """Whether nothing is lost where it is packed."""
    return '{"other": ' not in json.dumps(packed(thing))


def unpacked(data):
    """The plain data that was packed. Strange where it is something else."""
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
    """An Observation as data. Of a pass, nothing of what should have come, where the one that judges knows it.

    retold: of the check.
    """
    bare = found.state == PASSED and retold not in ("more", "own")
    tests, unseen = ([of_test(test, bare) for test in tests] for tests in (found.tests, found.unseen))
    fields = {"state": found.state, "said": found.said, "source": found.source, "seed": found.seed}
    return {name: packed(each) for name, each in fields.items()} | {"tests": tests, "unseen": unseen}


def of_test(test, bare):
    """A Seen as data, without its graph. A row says whether it will do where that is not seen in it.

    bare: without what is expected.
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
    """The Observation of an exercise that data tell of. Strange where they do not fit."""
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
    """The Seen that data tell of."""
    if not isinstance(data, dict) or set(data) != set(FIELDS):
        raise Strange("a test of an unknown form")
    because = tuple(map(text, several(data["because"])))
    rows = tuple(map(row_of, several(data["rows"])))
    return Seen(text(data["says"]), rows, text(data["case"]), None, because, text(data["ended"]))


def row_of(data):
    """A row of a Seen: (what, expected, got), or with whether it will do."""
    if not isinstance(data, list) or len(data) not in (3, 4) or not isinstance(data[3:] == [] or data[3], bool):
        raise Strange("a row of an unknown form")
    return (text(data[0]), unpacked(data[1]), unpacked(data[2]), *data[3:])


def several(data):
    """A list that is not too long."""
    if not isinstance(data, list) or len(data) > MOST:
        raise Strange("no list, or a very long one")
    return data


def text(data, most=2**20):
    """A text that is not too long."""
    if not isinstance(data, str) or len(data) > most:
        raise Strange("no text, or a very long one")
    return data


def lines(written):
    """The pieces of data that stand in what a process has written, a line each; what is none is left out."""
    found = []
    for line in written.decode("utf-8", "replace").split("\n"):
        try:
            piece = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(piece, dict):
            found.append(piece)
    return found
