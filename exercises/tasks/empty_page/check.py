"""The check of `empty_page`: the results of a class written from memory on random graphs, against dual numbers."""

import functools

from exercises.judging.vocabulary import (
    Case,
    Trouble,
    answer,
    cases,
    exercise,
    failed,
    kind,
    number_of,
    outcome,
    seen,
)
from exercises.verdicts.cases import same

ALONE = (  # each operation alone; one number used twice; a result used in two places, one nearer the root
    *((((("a", 2.0), ("b", -3.0)), (("d", sign, ("a", "b")),))) for sign in "+*"),
    *((((("a", 3.0),), (("d", sign, ("a", "a")),))) for sign in "+*"),
    ((("a", 2.0), ("b", -1.5)), (("d", "*", ("a", "b")), ("e", "+", ("d", "a")), ("f", "*", ("e", "d")))),
)


@functools.cache
def graphs(seed=0):
    """Return the Cases: small ones by hand, then random ones."""
    return (*(Case(*each) for each in ALONE), *cases(("+", "*"), 20, seed or 5))


@exercise
def empty_page(Fresh, *, seed):
    """Check a class with `data`, `grad`, `+`, `*` and `backward()`: values and gradients of random graphs."""
    if not isinstance(Fresh, type):
        raise Trouble(
            "Tested: Fresh.", f"The class itself was expected, as in check.empty_page(Fresh); it is {kind(Fresh)}."
        )
    for case in graphs(seed):
        text = f"{case.text()}\n{case.root}.backward()".replace("Value(", f"{Fresh.__name__}(")
        found, raised = outcome("; ".join(text.splitlines()), passed, Fresh, case)
        yield failed(raised, text) if raised else compared(case, text, found)
    return f"Right on {len(graphs(seed))} graphs, values and gradients. You wrote an engine from memory."


def passed(Fresh, case):
    """Return the nodes of a case by name, after one backward pass."""
    nodes = case.run(Fresh)
    answer(nodes[case.root], case.steps[-1][0], object).backward()
    return nodes


def compared(case, text, nodes):
    """Return the Seen of a case: the root's value, and the gradient of each leaf."""
    value = number_of(nodes[case.root], "data", text)
    rows = [(f"{case.root}.data", case.value, value)]
    for name, slope in case.gradients().items():
        rows.append((f"{name}.grad", slope, number_of(nodes[name], "grad", text)))
    says = "A gradient is wrong." if same(value, case.value) else "The value is wrong."
    return seen(says, *rows, case=text, graph=case.graph)
