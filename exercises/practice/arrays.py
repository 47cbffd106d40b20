"""Questions of levels 9 to 11, on arrays.

Which product, which shape, which axes; an entry of a gradient: of a product, of a table whose rows were looked up, of
scores before a softmax.
"""

import functools
import itertools
import re

import numpy as np

from autograd.tensor import Tensor
from exercises.content import library
from exercises.content.library import Mistake
from exercises.explaining.catalogue import known_mistakes
from exercises.practice.asked import LARGEST, Question, enough, gathered, with_arithmetic
from exercises.verdicts.cases import OPERATIONS, Case

SIZES = (2, 3, 4)
TENTHS, LEAST = 10, 0.05  # shares are in tenths; the least size of a requested gradient
REPEATED, PRODUCT = ("08", "A number used by every row"), ("08", "The matrix product, one cell at a time")
FROM_THE_RIGHT = "NumPy compares shapes from the right: "
OTHER_AXES = Mistake(
    "the axes that stay", "Those axes are b's own. The others are summed: along them it was repeated.", *REPEATED
)
OWN_NUMBERS = Mistake("axes numbered as in b", f"{FROM_THE_RIGHT}axis 0 of b need not be axis 0 of Y.", *REPEATED)
ONE_OF_TWO = Mistake("one of two axes forgotten", "b has neither of two axes: it was repeated along both.", *REPEATED)
ON_THE_LEFT = Mistake("shapes compared from the left", f"{FROM_THE_RIGHT}the new axes come first.", *REPEATED)
LOST_TERM = Mistake(
    *("a term of the sum forgotten", "An entry is a sum over all places where its number is used; one is missing."),
    *PRODUCT,
)

ON_ARRAYS = {
    "@": lambda a, b: a @ b,
    "[]": lambda a, rows: a[list(rows)],
    "softmax": lambda a: a.softmax(),
}

WAYS = {  # {a formula for a gradient of Y = X @ W: its known mistake, "" for the right one}
    "W": {
        "X.T @ G": "",
        "X @ G": "@ without transposes",
        "G.T @ X": "dW is transposed",
        "G @ X.T": "the order of dW is swapped",
        "G @ W.T": "@ gives each factor the other's gradient",
        "X.T @ np.ones(G.shape)": "@ forgets the upstream gradient",
        "X * G": "elementwise",
        "X @ G.T": "upstream is transposed",
        "W.T @ G": "each factor times itself",
        "X.T @ G / len(X)": "@ uses the mean over the rows instead of their sum",
    },
    "X": {
        "G @ W.T": "",
        "G @ W": "@ without transposes",
        "W @ G.T": "the result is transposed",
        "W.T @ G": "the order is swapped",
        "X.T @ G": "@ gives each factor the other's gradient",
        "np.ones(G.shape) @ W.T": "@ forgets the upstream gradient",
        "G * W": "elementwise",
        "G.T @ W": "upstream is transposed",
        "G @ X.T": "each factor times itself",
        "G @ W.T / len(X)": "both are means over the rows",
    },
}


class Arrays(Case):
    """A Case whose leaves are arrays, as tuples of rows."""

    def compute(self, numbers, operations=OPERATIONS):
        return super().compute(numbers, operations | ON_ARRAYS)

    def graph(self):
        """Return the root of the same graph of Tensors, labelled, for a drawing."""
        nodes = self.run(Tensor)
        for name, node in nodes.items():
            node.label = name
        return nodes[self.root]

    def to_source(self):
        """Return the case as lines of Python."""
        steps = super().to_source().splitlines()[1:]
        return "\n".join([*(f"{name} = Tensor({format_rows(rows)})" for name, rows in self.leaves), *steps])


def attempt(level, rng):
    """Return a random Question; None if it is not worth asking."""
    return rng.choice(KINDS[level])(level, rng)


def product(level, rng):
    """Ask which of several products is a gradient of Y = X @ W."""
    name, (rows, inner, columns) = rng.choice("WX"), rng.sample(SIZES, 3)
    code = f"# X.shape is {(rows, inner)}, W.shape is {(inner, columns)}\nY = X @ W\n# G is Y.grad"
    (right, _), *others = WAYS[name].items()
    wrong = {way: known_as(mistake) for way, mistake in rng.sample(others, 5)}
    return chosen(level, rng, f"Which of these is `{name}.grad`?", code, right, wrong, "matrix product")


def shape(level, rng):
    """Ask for the shape of the gradient of an array that was stretched."""
    rows, columns = rng.sample((*SIZES, 5), 2)
    own, lost, other = rng.choice((((1, columns), (columns,), (rows,)), ((rows, 1), (rows,), (columns,))))
    code = f"# X.shape is {(rows, columns)}, b.shape is {own}\nY = X + b"
    wrong = {
        str(lost): known_as("a stretched axis is lost"),
        str((rows, columns)): known_as("left as it is"),
        "()": known_as("everything is summed"),
        str(own[::-1]): known_as("the result is transposed"),
        str(other): OTHER_AXES,
    }
    return chosen(level, rng, "Which shape does `b.grad` have?", code, str(own), wrong, "shape of a gradient")


def axes(level, rng):
    """Ask over which axes upstream is summed for the gradient of an array that was repeated."""
    sizes = rng.sample((*SIZES, 5), 3)
    own = rng.choice(((sizes[1], 1), (1, sizes[2]), (sizes[2],)))
    code = f"# X.shape is {tuple(sizes)}, b.shape is {own}\nY = X + b"
    found = [((), known_as("left as it is")), ((0, 1, 2), known_as("everything is summed"))]
    if len(own) == 1:
        right, stays = (0, 1), (2,)
        found += [(stays, OTHER_AXES), ((0,), ONE_OF_TWO), ((1, 2), ON_THE_LEFT)]
    else:
        stretched = 1 + own.index(1)
        right, stays = (0, stretched), (3 - stretched,)
        found += [(stays, OTHER_AXES), ((0,), known_as("only the new axes are summed"))]
        found += [
            ((stretched,), known_as("only the axes of size 1 are summed")),
            ((0, stretched - 1), OWN_NUMBERS),
        ]
    wrong = {}
    for each, mistake in found:
        if each != right and len(set(each)) == len(each):
            wrong.setdefault(along(each), mistake)
    says = "`Y.grad` is summed to make `b.grad`. Along which axes?"
    return chosen(level, rng, says, code, along(right), wrong, "axes summed back")


def chosen(level, rng, says, code, right, wrong, pattern):
    """Return a Question with options in a random order. wrong: {option: Mistake}."""
    options, by_mistake = (right, *wrong), {}
    options = tuple(rng.sample(options, len(options)))
    for option, mistake in wrong.items():
        by_mistake[mistake] = (*by_mistake.get(mistake, ()), option)
    return Question(level, says, code, None, pattern, right, by_mistake, (pattern,), options)


def entry(level, rng):
    """Ask for one number of a gradient of a matrix product."""
    name, (rows, inner, columns) = rng.choice("WX"), rng.sample(SIZES, 3)
    x, w, upstream = (random_rows(rng, size) for size in ((rows, inner), (inner, columns), (rows, columns)))
    case = Arrays((("X", x), ("W", w)), (("Y", "@", ("X", "W")),))
    arrays = [np.array(each, dtype=float) for each in (x, w, upstream)]
    which = "XW".index(name)
    place = tuple(rng.randrange(size) for size in arrays[which].shape)
    if name == "W":
        terms = arrays[0][:, place[0]] * arrays[2][:, place[1]]
    else:
        terms = arrays[2][place[0]] * arrays[1][place[1]]
    wrong = [(result[which], mistake) for result, mistake in results("matmul_vjps", *arrays)]
    return entry_asked(level, case, (name, *place), upstream, terms, wrong, "matrix product")


def bias(level, rng):
    """Ask for one number of the gradient of an array that was repeated."""
    rows, columns = rng.sample(SIZES, 2)
    size = rng.choice(((columns,), (1, columns), (rows, 1)))
    x, b, upstream = (random_rows(rng, each) for each in ((rows, columns), size, (rows, columns)))
    case = Arrays((("X", x), ("b", b)), (("Y", "+", ("X", "b")),))
    place, g = tuple(map(rng.randrange, size)), np.array(upstream, dtype=float)
    terms = g[place[0]] if size[-1] == 1 else g[:, place[-1]]
    return entry_asked(
        level, case, ("b", *place), upstream, terms, results("unbroadcast", g, size), "used by every row"
    )


def gather(level, rng):
    """Ask for one number of the gradient of a table whose rows were looked up, that row at least twice."""
    count, columns = rng.choice(((3, 2), (4, 2))), 2  # the table's size
    table, looked = random_rows(rng, count), tuple(rng.randrange(count[0]) for _ in range(rng.choice((4, 5))))
    row, column = rng.choice(looked), rng.randrange(columns)
    upstream = random_rows(rng, (len(looked), columns))
    g = np.array(upstream, dtype=float)
    used = [place for place, each in enumerate(looked) if each == row]
    if len(used) < 2 or not g[used, column].all() or not g[used[:-1], column].sum():
        return None  # if the others cancel out, the last one alone would be right
    case = Arrays((("E", table),), (("Y", "[]", ("E", looked)),))
    wrong = results("rows_vjp", np.array(table, dtype=float), list(looked), g)
    return entry_asked(level, case, ("E", row, column), upstream, g[used, column], wrong, "rows looked up")


def scores(level, rng):
    """Ask for one number of the gradient of scores whose softmax, row by row, is given: shares in tenths."""
    parts = [sorted(rng.sample(range(1, TENTHS), 2)) for _ in range(2)]
    p = np.diff([[0, *cuts, TENTHS] for cuts in parts]) / TENTHS
    upstream, (row, column) = random_rows(rng, p.shape), (rng.randrange(2), rng.randrange(3))
    g = np.array(upstream, dtype=float)
    case = Arrays((("Z", tuple(map(tuple, np.log(TENTHS * p).round(4).tolist()))),), (("Y", "softmax", ("Z",)),))
    terms = -p[row] * g[row] * p[row, column] + p[row, column] * g[row] * (np.arange(3) == column)
    if abs(terms.sum()) < LEAST:
        return None
    wrong, also = results("softmax_vjp", p, g), f"\n# Y is {format_rows(tuple(map(tuple, p.tolist())))}"
    return entry_asked(level, case, ("Z", row, column), upstream, terms, wrong, "softmax", also)


KINDS = {9: (product, shape, axes), 10: (entry, entry, bias), 11: (gather, scores)}  # of questions


def entry_asked(level, case, place, upstream, terms, results, pattern, also=""):
    """Return the Question of a number in a gradient, the sum of these terms; None if it is not worth asking.

    place: (name, row, column), or (name, place) of a vector. results: (array, Mistake) of wrong ones. also: a line.
    """
    answer, (name, *where) = float(terms.sum()), place
    lost = [(answer - float(term), LOST_TERM, False) for term in terms if term]
    wrong = gathered(answer, [*entries(tuple(where), results), *lost])
    if not answer or abs(answer) > LARGEST or not enough(level, wrong):
        return None
    return Question(
        level=level,
        says=f"`{case.root}.grad` is known. What is `{name}.grad[{', '.join(map(str, where))}]`?",
        code=f"{case.to_source()}{also}\n# {case.root}.grad is {format_rows(upstream)}",
        case=case,
        asked=place,
        answer=answer,
        wrong=with_arithmetic(answer, wrong),
        patterns=(pattern,),
        upstream=upstream,
    )


def entries(place, results):
    """Yield (number, Mistake, True) for the number at a place of each array that has one."""
    for result, mistake in results:
        array = np.asarray(result)  # lower precision is a program's mistake, not one by hand
        if (
            array.dtype == np.float64
            and array.ndim == len(place)
            and all(index < size for index, size in zip(place, array.shape))
        ):
            yield float(array[place]), mistake, True


def results(exercise, *args):
    """Yield (result, Mistake) for each known mistake of an exercise whose code accepts these arguments."""
    for function, mistake in wrong_functions(exercise):
        try:
            yield function(*args), mistake
        except ValueError:  # the shapes do not fit
            continue


@functools.cache
def wrong_functions(exercise):
    """Return ((function, Mistake), …): the known mistakes of an exercise as functions."""
    solution, found = library.solution(exercise).code, []
    for each in known_mistakes(exercise):
        for code in each.codes(solution):
            names = {"np": np}
            exec(code, names)  # the course's own text: safe to run
            found.append((names[exercise], each.mistake))
    return tuple(found)


@functools.cache
def known_as(name):
    """Return the known Mistake of `matmul_vjps` or `unbroadcast` with this name."""
    both = itertools.chain(known_mistakes("matmul_vjps"), known_mistakes("unbroadcast"))
    return next(each.mistake for each in both if each.mistake.name == name)


def random_rows(rng, size):
    if len(size) > 1:
        return tuple(random_rows(rng, size[1:]) for _ in range(size[0]))
    return tuple(rng.choice((-3, -2, -1, 0, 1, 2, 3)) for _ in range(size[0]))


def format_rows(rows):
    """Return tuples in the syntax of lists, whole numbers without a point."""
    return re.sub(r"\.0\b", "", str(rows).replace(",)", ")").replace("(", "[").replace(")", "]"))


def along(axes):
    return "none" if not axes else " and ".join(map(str, axes)) if len(axes) < 3 else "0, 1 and 2"
