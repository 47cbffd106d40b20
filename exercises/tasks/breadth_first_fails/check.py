"""The check of `breadth_first_fails`: whether breadth-first order goes wrong, and whether fewer boxes would do."""

from autograd import Value
from autograd import topological_order as right_order
from exercises.judging.vocabulary import (
    AnswerError,
    NotAttempted,
    equal_results,
    exercise,
    is_a_sequence,
    kind,
    make_result,
    needs_functions,
    trying,
)
from exercises.sandbox.isolation import code_objects
from exercises.tasks.shared.fan_out import run_pass

OTHER_CLASS = "f makes a Value itself, of a different class from its inputs. Use only its inputs and plain numbers."
FEWEST = 4  # boxes of the smallest graph on which breadth-first order goes wrong (a test tries all smaller ones)


@exercise(compares=False)
def breadth_first_fails(f, xs):
    """Find a graph on which breadth-first order gives a wrong gradient, with as few boxes as possible."""
    if not callable(f):
        raise AnswerError("Tested: f.", f"f should be a function of Values; it is {kind(f)}.")
    needs_functions(f=f)
    xs = list(map(as_float, xs if isinstance(xs, tuple | list) or is_a_sequence(xs) else [xs]))
    names = labels(f, len(xs))
    leaves = [Value(x, label=name) for name, x in zip(names, xs)]
    root = root_of(f, leaves)
    boxes = right_order(root)
    run_pass(boxes[::-1])
    slopes = [leaf.grad for leaf in leaves]
    run_pass(breadth_first(root))
    rows = list(zip(names, slopes, [leaf.grad for leaf in leaves]))
    differ = next((row for row in rows if not equal_results(row[2], row[1])), None)
    if differ is None:
        said = ", ".join(f"{name}.grad is {slope:g}" for name, slope, _ in rows)
        says = f"Breadth-first order is right on this graph{f': {said} either way' if said else ''}."
        yield make_result(says, ("breadth-first order", "wrong", "right"), graph=root, because=why_right(root, boxes))
        return None
    says = "Breadth-first order gives {0}.grad = {2:g} here, where {1:g} is right.".format(*differ)
    large = f"{says} So it fails, as it should. But your graph has {len(boxes)} boxes, and fewer are enough."
    yield make_result(large, ("boxes", f"{FEWEST}", f"{len(boxes)}"), graph=root, because=why_large(boxes))
    return f"{says} And with {len(boxes)} boxes: there is no smaller graph on which it fails."


def as_float(x):
    """Return one of the inputs xs as a float."""
    if x is None or x is ...:
        raise NotAttempted(f"xs holds {'...' if x is ... else x}: not a number yet.")
    try:
        return x.__float__()
    except Exception:
        raise AnswerError("Tested: xs.", f"It should hold a number for each input of f; it holds {kind(x)}.") from None


def labels(f, count):
    """Return the names of a function's inputs, as its author wrote them."""
    code = getattr(f, "__code__", None)
    written = code.co_varnames[: code.co_argcount] if code else ()
    return written[:count] if len(written) >= count else tuple(f"x{i}" for i in range(1, count + 1))


def root_of(f, leaves):
    """Return the root of the graph that f makes of its inputs."""
    what = f"f({', '.join(f'{leaf.data:g}' for leaf in leaves)})"
    try:
        with trying(what):
            root = f(*leaves)
    except AnswerError:
        made = [names.get("Value", Value) for code, names in code_objects(f) if "Value" in code.co_names]
        if all(one is Value for one in made):
            raise
        raise AnswerError(f"Tested: {what}.", OTHER_CLASS) from None
    if root is None or root is ...:
        raise NotAttempted(f"f returns {'...' if root is ... else root}: not a graph yet.")
    if not isinstance(root, Value):
        says = f"f should return a Value made from its inputs; it returned {kind(root)}."
        if type(root).__name__ == Value.__name__:
            says = OTHER_CLASS
        raise AnswerError(f"Tested: {what}.", says)
    return root


def breadth_first(root, turned=False):
    """List the root, its inputs, their inputs, each when first met; inputs from the left, or from the right."""
    order, met = [root], {root}
    for node in order:  # which grows as it is read
        for input in node._prev[::-1] if turned else node._prev:
            if input not in met:
                met.add(input)
                order.append(input)
    return order


def why_right(root, boxes):
    """Name the reason why breadth-first order is right on a graph."""
    users = {node: [user for user in boxes for input in user._prev if input is node] for node in boxes}
    twice = [node for node in boxes if len(users[node]) > 1]
    inner = [node for node in twice if node._prev]
    if not twice:
        return "no node is used twice"
    if not inner:
        return "only a leaf is used twice"
    if early(breadth_first(root), users):
        return "right by luck"
    if all(len(set(users[node])) == 1 for node in inner):
        return "used twice, by one consumer"
    turned = early(breadth_first(root, turned=True), users)
    return "the longer path is on the left" if turned else "read after all its consumers"


def early(order, users):
    """Return whether an order reads a node with inputs before one of its consumers."""
    return any(order.index(user) > order.index(node) for node in order if node._prev for user in users[node])


def why_large(boxes):
    """Name the way in which boxes can be saved."""
    leaves = [node for node in boxes if not node._prev]
    if any(not leaf.label for leaf in leaves):
        return "a plain number is a box too"
    return "more inputs than it takes" if len(leaves) > 1 else "more operations than it takes"
