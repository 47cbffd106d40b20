"""How an engine behaves on a case: its value and the gradients of its leaves; and expressions as graphs."""

from autograd import Value
from exercises.verdicts.cases import is_close


def behaviour(engine, case):
    nodes = case.run(engine)
    root = nodes[case.root]
    root.backward()
    return float(root.data), {leaf: float(nodes[leaf].grad) for leaf, _ in case.leaves}


def behaviour_or_none(engine, case):
    try:
        return behaviour(engine, case)
    except (ArithmeticError, ValueError):
        return None


def agree(one, other):
    if one is None or other is None:
        return False
    return is_close(one[0], other[0]) and all(is_close(one[1][leaf], other[1][leaf]) for leaf in one[1])


def graph(code, engine=Value, **numbers):
    """Return (root, {name: node}) of an expression of leaves with these numbers; names after := become labels too."""
    nodes = {name: engine(number) for name, number in numbers.items()}
    root = eval(code, {}, nodes)
    for name, node in nodes.items():
        node.label = name
    return root, nodes
