"""Serialization between the process that runs a learner's code and the one that judges it: plain data, checked here."""

import json

from exercises.verdicts.results import NOT_YET, PASSED, WRONG, Observation, TestResult, matches

MAX_DEPTH = 40  # nested lists
MAX_ITEMS = 2_000  # tests, and rows of a test
SEQUENCES = {list: "list", tuple: "tuple", set: "set", frozenset: "frozenset"}
MAKERS = {name: kind for kind, name in SEQUENCES.items()}
NAME_OF = type.__dict__["__name__"].__get__  # even if a learner's class redefines its name
FIELDS = ("says", "case", "ended", "because", "rows")  # of a test


class InvalidData(Exception):
    """The received data do not have the agreed form; the message says how."""


class Opaque:
    """A stand-in for an object that is not plain data: a learner's, of which only the type is known."""

    def __init__(self, kind):
        self.kind = kind

    def __repr__(self):
        return f"<{self.kind}>"


def pack(thing, depth=0):
    """Convert plain data to JSON's types: a subclass of a number or a text to that, others to their type's name."""
    if thing is None or type(thing) is bool:
        return thing
    for kind, bare in ((int, int.__pos__), (float, float.__pos__), (str, str.__str__)):
        if issubclass(type(thing), kind):
            return bare(thing) if kind is not int or int.bit_length(thing) < 10_000 else {"other": "int"}
    if thing is ...:
        return {"dots": 0}
    if type(thing).__module__ == "numpy" and not getattr(thing, "shape", None) and hasattr(thing, "item"):
        return pack(thing.item(), MAX_DEPTH) if depth < MAX_DEPTH else {"other": "number"}
    for kind, name in SEQUENCES.items():
        if issubclass(type(thing), kind) and depth < MAX_DEPTH:
            return {name: [pack(each, depth + 1) for each in kind.__iter__(thing)]}
    if issubclass(type(thing), dict) and depth < MAX_DEPTH:
        return {"dict": [[pack(each, depth + 1) for each in pair] for pair in dict.items(thing)]}
    return {"other": NAME_OF(type(thing))[:80]}


def is_plain(thing):
    """Return whether packing an object loses nothing."""
    return '{"other": ' not in json.dumps(pack(thing))


def unpack(data):
    """Return the plain data that were packed. Raise InvalidData for anything else."""
    if data is None or isinstance(data, bool | int | float | str):
        return data
    if not isinstance(data, dict) or len(data) != 1:
        raise InvalidData("a value of an unknown form")
    ((form, held),) = data.items()
    if form == "dots":
        return ...
    if form == "other":
        return Opaque(check_text(held, 80))
    if not isinstance(held, list):
        raise InvalidData("a value of an unknown form")
    try:
        if form == "dict":
            return {unpack(key): unpack(value) for key, value in held}
        return MAKERS[form](map(unpack, held))
    except (KeyError, TypeError, ValueError):
        raise InvalidData("a value of an unknown form") from None


def pack_observation(found, determinism=""):
    """Convert an Observation to data.

    determinism: the check's. For a pass, leave out all expected values that the judging process knows.
    """
    bare = found.state == PASSED and determinism not in ("more", "own")
    tests, unseen = ([pack_test(test, bare) for test in tests] for tests in (found.tests, found.unseen))
    fields = {"state": found.state, "said": found.said, "source": found.source, "seed": found.seed}
    return {name: pack(each) for name, each in fields.items()} | {"tests": tests, "unseen": unseen}


def pack_test(test, bare):
    """Convert a TestResult to data, without its graph. A row gets its verdict only if the row itself does not show it.

    bare: without the expected values.
    """
    rows = []
    for row in test.rows:
        if bare:
            rows.append([pack(row[0]), None, pack(row[2])])
            continue
        told = len(row) > 3 or not is_plain(row[1:3])
        rows.append([*map(pack, row[:3]), *([matches(row)] if told else [])])
    texts = {"says": pack(test.says), "case": pack(test.case), "ended": pack(test.ended)}
    return texts | {"because": [*map(pack, test.because)], "rows": rows}


def unpack_observation(name, data):
    """Return the Observation of an exercise from data. Raise InvalidData if they do not fit."""
    if not isinstance(data, dict):
        raise InvalidData("no observation")
    state, seed = data.get("state"), data.get("seed")
    if state not in (PASSED, NOT_YET, WRONG):
        raise InvalidData("an unknown state")
    if type(seed) is not int or not 0 <= seed < 2**64:
        raise InvalidData("a seed that is none")
    tests, unseen = (tuple(map(unpack_test, check_list(data.get(part)))) for part in ("tests", "unseen"))
    return Observation(name, check_text(data.get("source")), state, tests, check_text(data.get("said")), seed, unseen)


def unpack_test(data):
    if not isinstance(data, dict) or set(data) != set(FIELDS):
        raise InvalidData("a test of an unknown form")
    because = tuple(map(check_text, check_list(data["because"])))
    rows = tuple(map(unpack_row, check_list(data["rows"])))
    return TestResult(
        check_text(data["says"]), rows, check_text(data["case"]), None, because, check_text(data["ended"])
    )


def unpack_row(data):
    """Return a row of a TestResult from data: (what, expected, got), or with its verdict."""
    if not isinstance(data, list) or len(data) not in (3, 4) or not isinstance(data[3:] == [] or data[3], bool):
        raise InvalidData("a row of an unknown form")
    return (check_text(data[0]), unpack(data[1]), unpack(data[2]), *data[3:])


def check_list(data):
    """Return a list unchanged; raise InvalidData if it is no list or too long."""
    if not isinstance(data, list) or len(data) > MAX_ITEMS:
        raise InvalidData("no list, or a very long one")
    return data


def check_text(data, most=2**20):
    """Return a text unchanged; raise InvalidData if it is no text or too long."""
    if not isinstance(data, str) or len(data) > most:
        raise InvalidData("no text, or a very long one")
    return data


def read_lines(written):
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
