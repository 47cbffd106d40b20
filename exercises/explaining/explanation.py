"""Find the mistakes, alone or together, that give all the results of an engine, and name them."""

from exercises.content.library import Mistake
from exercises.engines.wrong_engines import HUNT, WRONG_ENGINES
from exercises.explaining.simulation import BINARY, RULES, TABLES, gives

ENGINES = {wrong.id: wrong for wrong in (*WRONG_ENGINES, *HUNT)}
SEVERAL = (("write", "both"), ("upstream", "none"), ("place", "input"), ("place", "nowhere"))  # made in many rules
STRIDE, FEW = 6, 12  # compare every sixth graph first, then a dozen of those that were missed


def explanation(tapes):
    """Return the smallest state found that gives the gradients of all Tapes, or None."""
    tapes = sorted(tapes, key=lambda tape: len(tape.made))
    for turned in (False, True, "tape", "ready"):
        state, some = {}, tapes[::STRIDE]
        while state is not None:
            missed = [tape for tape in tapes if not gives(tape, state, turned)]
            if not missed:
                return state
            some = [*some, *missed[:FEW]]
            state = explained(some, turned)
    return None


def explained(tapes, turned):
    """Return the smallest state found for some Tapes, making at each step the change that helps most."""

    def count(state, least=-1):
        """Return how many Tapes a state gives; -1 once it cannot be more than `least`."""
        missed = 0
        for tape in tapes:
            missed += not gives(tape, state, turned)
            if len(tapes) - missed <= least:
                return -1
        return len(tapes) - missed

    state, best, every = {}, count({}), {sign for tape in tapes for sign, _ in tape.made.values()}
    while best < len(tapes):
        missed = next(tape for tape in tapes if not gives(tape, state, turned))
        tried = [state | {switch: value} for switch, value in switches({sign for sign, _ in missed.made.values()})]
        tried += [{key: value for key, value in state.items() if key != gone} for gone in state]
        for some in (every, every - {"+", "-", "*", "/"}, every - {"+", "*"}):
            tried += [state | {(sign, what): value for sign in some} for what, value in SEVERAL]
        better = None
        for each in tried:
            if (found := count(each, best)) > best:
                best, better = found, each
        if better is None:
            return None
        state = better
    for switch in list(state):  # drop what is not needed
        less = {key: value for key, value in state.items() if key != switch}
        state = less if count(less) == best else state
    return state


def switches(signs):
    """Yield (switch, value) for each mistake that can show in graphs of these operations."""
    yield from (((what,), value) for what, values in TABLES["whole"].items() for value in values)
    for sign in sorted(signs):
        lines = (0, 1) if sign in BINARY - {"**"} else ()
        values = {"write": ("both", *lines), "upstream": ("none", "own", *lines), "place": ("nowhere", "input")}
        values["numbers"] = ("grads", 0, 1) if sign == "*" else ()
        values["slope"] = range(1, len(RULES[sign]))
        yield from (((sign, what), value) for what in values for value in values[what])


def mistakes(state, tapes):
    """Return the Mistakes of a state, and those of inputs that the Tapes show to be lost."""
    made = [(tape, node, *tape.made[node]) for tape in tapes for node in tape.made]
    lost = {
        sign for tape, node, sign, operands in made if not {o for o in operands if type(o) is int} <= tape.before(node)
    }
    every, found = {sign for _, _, sign, _ in made}, [describe_mistake("inputs", lost)] if lost else []
    for what, value in SEVERAL:
        if among := {sign for sign in every if state.get((sign, what)) == value}:
            found.append(describe_mistake(f"{what}-{value}", among, among == every))
    for (*sign, what), value in state.items():
        if what == "slope":
            found.append(of_slope(sign[0], value))
        elif not sign:
            found.append(mistake(TABLES["whole"][what][value]))
        elif (what, value) not in SEVERAL:
            found.append(describe_mistake(f"{what}-{'line' if type(value) is int else value}", sign))
    return tuple(found)


def of_slope(sign, i):
    """Return the Mistake of a local derivative, the one with number i in its table."""
    (right, *_), (wrong, words) = TABLES["slopes"][sign], [*TABLES["slopes"][sign].items()][i]
    if isinstance(words, list) or words in ENGINES:
        return mistake(words)
    letters = "a and b the inputs and y the output" if sign in BINARY else "x the input and y the output"
    name, *rest = TABLES["rule"]["slope"]
    told = [f"{name}: {words}" if words else name, *rest]
    return mistake(told, op=sign, wrong=wrong, right=right, letters=letters)


def states():
    """Return {id of a wrong engine: the state in which the simulation makes its mistake}."""
    found = {}
    for sign, slopes in TABLES["slopes"].items():
        found |= {words: {(sign, "slope"): i} for i, words in enumerate(slopes.values()) if not isinstance(words, list)}
    for what, values in TABLES["whole"].items():
        found |= {words: {(what,): value} for value, words in values.items() if not isinstance(words, list)}
    for key, id in TABLES["one"].items():
        (what, value), sign = key.split()[0].partition("-")[::2], key.split()[1]
        found[id] = {(sign, what): value}
    return {id: state for id, state in found.items() if id in ENGINES}


def describe_mistake(kind, signs, every=False, **words):
    """Return the Mistake of this kind in the rules of some operations; every: whether these are all there are."""
    *some, last = sorted(signs, key=[*RULES].index) if {*signs} <= {*RULES} else signs
    op = "every operation" if every and some else f"{', '.join(some)} and {last}" if some else last
    rules = "every rule" if every and some else f"the rule{'s' * bool(some)} of {op}"
    return mistake(TABLES["one"].get(f"{kind} {op}", TABLES["rule"][kind]), op=op, rules=rules, **words)


def mistake(told, **words):
    """Return the Mistake of a wrong engine, given its id, or of a name, a sentence and a place."""
    return (
        Mistake.from_wrong_engine(ENGINES[told])
        if isinstance(told, str)
        else Mistake(*(text.format(**words) for text in told))
    )
