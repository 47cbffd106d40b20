"""The check of `six_tests`: how many wrong engines they catch, and what hides the others from them."""

from collections import Counter

from autograd import topological_order
from exercises.engines.wrong_engines import Engine
from exercises.judging.kills import caught
from exercises.judging.matrices import engine_in, numbers
from exercises.judging.vocabulary import exercise, holding, trying

MOST, ENOUGH = 6, 18
OF_OPERATIONS = {"+": "M1", "*": "M2 M11 M12", "**": "M13", "exp": "M3 M15", "tanh": "M4 M14", "relu": "M16 M17"}
OF_OPERATIONS |= {"number -": "M18", "number /": "M19"}  # wrong engines whose mistake is in one rule
RULES = {id: op for op, ids in OF_OPERATIONS.items() for id in ids.split()}
OVERWRITING, ORDERS, NUMBERS_FIRST = {"M1", "M2", "M3", "M4"}, {"M5", "M6", "M7", "M8"}, {"M18", "M19"}
HIDES = {  # {a wrong engine: the nodes at which its rule gives the right result}
    "M12": lambda node: node._prev[0].data == node._prev[1].data,
    "M13": lambda node: node._prev[0].data in (0, 1),
    "M14": lambda node: node._prev[0].data == 0,
}


@exercise(compares=False)
def six_tests(six_tests):
    """`six_tests` are at most six tests (f, xs) that catch at least 18 of the twenty wrong engines."""
    return (yield from caught(six_tests, MOST, ENOUGH, blind_spots))


class Traced(Engine):
    """The right engine, whose nodes record how they were made."""

    def renamed(self, op):
        """Set this node's operation and return the node."""
        self._op = op
        return self

    def __pow__(self, other):
        out = super().__pow__(other)
        return out if isinstance(other, Engine) else out.renamed("**")

    def __rsub__(self, other):
        return super().__rsub__(other).renamed("number -")

    def __rtruediv__(self, other):
        return super().__rtruediv__(other).renamed("number /")


def orders_of(tests):
    """Return the nodes of each test's graph on the right engine, inputs first, after a backward pass.

    comes_second, of a node: whether `=` in its rule would have shown.
    """
    made = []
    for f, xs in tests:
        with trying("a test"), engine_in(f, Traced):
            root = f(*map(Traced, numbers(xs)))
            order = topological_order(root)
            root.grad = 1.0
            for node in reversed(order):
                node.comes_second = any(input.grad for input in node._prev) or len(set(node._prev)) < len(node._prev)
                node._backward()
        made.append(order)
    return made


def blind_spots(tests, away):
    """Name what lets these wrong engines (ids) get away from all of these tests, the most important first."""
    graphs = orders_of(tests)
    nodes = [node for graph in graphs for node in graph if node._prev]
    edges = Counter(input for node in nodes for input in node._prev)
    of_rule = {id: [node for node in nodes if node._op == RULES[id]] for id in away & RULES.keys()}
    used = {id: found for id, found in of_rule.items() if found}
    unused = of_rule.keys() - used.keys()
    relu = [node._prev[0].data for node in nodes if node._op == "relu"]
    single = all(count < 2 for count in edges.values())
    spots = {
        "one operation each": "M9" in away and all(sum(bool(node._prev) for node in graph) < 2 for graph in graphs),
        "nothing is used twice": single and away & OVERWRITING,
        "no result is used twice": not single and away & ORDERS and all(n < 2 or not x._prev for x, n in edges.items()),
        "upstream is always 1": all(node.grad == 1 for node in used.get("M11", [])) and "M11" in used,
        "the rule always comes first": not single
        and any(not any(node.comes_second for node in used[id]) for id in OVERWRITING & used.keys()),
        "numbers that hide a mistake": any(all(map(HIDES[id], used[id])) for id in HIDES.keys() & used.keys()),
        "no gradient arrives": any(all(node.grad == 0 for node in found) for found in used.values()),
        "an operation that no test uses": unused - NUMBERS_FIRST,
        "no number stands on the left": unused >= NUMBERS_FIRST,
        "no number stands before a minus": unused & NUMBERS_FIRST == {"M18"},
        "no number stands before a /": unused & NUMBERS_FIRST == {"M19"},
        "a minus that does not matter": "M18" in used,
        "relu is never used below 0": "M17" in used and min(relu) >= 0,
        "relu is never used at 0": "M16" in used and 0 not in relu,
        "no two equal numbers": "M20" in away and all(len({node.data for node in g}) == len(g) for g in graphs),
    }
    return holding(spots)
