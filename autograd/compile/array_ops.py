"""Each operation on arrays as NumPy source: the lines of a recorded program.

They compute what `Tensor`'s methods do, call for call, so that a program gives the same to the last bit. Operations on
each number come from the table of operations, except the few that choose, or differ at an edge.
"""

from collections import namedtuple

import numpy as np

from autograd.compile.codegen import literal, template
from autograd.operations import MATH, row_of

Source = namedtuple("Source", "value vjps lines slopes refuses", defaults=((), (), ""))
"""An operation as texts in which {a} and {b} are its inputs, {z} is its value and {d} the gradient of that.

value: an expression. vjps: for each input, an expression of its gradient. lines: what is computed before the value;
slopes, after it, for the VJPs. refuses: what is true where it has no value. {n}: its constant; {t}: its index or
targets; {each}: the numbers of all rows.
"""
ROW = "axis=-1, keepdims=True"
SIGMOID = "where({a} >= 0, 1.0, {z}_exp) / (1.0 + {z}_exp)"
NORMAL = f"({{d}} - {{d}}.mean({ROW}) - {{z}} * ({{d}} * {{z}}).mean({ROW})) / {{z}}_spread"
BY_BASE = "where({z}_b == 0, 0.0, {z}_b * {z}_a ** ({z}_b - 1)) * {d}"
BY_EXPONENT = "{z} * where({z}_a == 0, 0.0, log({z}_a)) * {d}"
OUTSIDE = "count_nonzero(({z}_a < 0) | (({z}_a == 0) & ({z}_b <= 0)))"
POWERS = (f"{{z}}_exp = exp({{a}} - {{a}}.max({ROW}))",)
BOTH, SMALL = ("{z}_a, {z}_b = broadcast_arrays({a}, {b})",), ("{z}_exp = exp(-abs({a}))",)
SOURCES = {
    "relu": Source("maximum({a}, 0.0)", ("({z} != 0) * {d}",)),
    "leaky_relu": Source("{z}_slope * {a}", ("{z}_slope * {d}",), ("{z}_slope = where({a} > 0, 1.0, {n})",)),
    "sigmoid": Source(SIGMOID, ("{z} * (1.0 - {z}) * {d}",), SMALL),
    "softplus": Source("log1p({z}_exp) + maximum({a}, 0.0)", (SIGMOID + " * {d}",), SMALL),
    "sqrt": Source("sqrt({a})", ("0.5 / {z} * {d}",), refuses="count_nonzero({a} < 0)"),
    "**": Source("{z}_a ** {z}_b", (BY_BASE, BY_EXPONENT), BOTH, refuses=OUTSIDE),
    "T": Source("{a}.T.copy()", ("{d}.T",)),
    "softmax": Source(f"{{z}}_exp / {{z}}_exp.sum({ROW})", (f"{{z}} * ({{d}} - ({{z}} * {{d}}).sum({ROW}))",), POWERS),
    "normalise": Source(
        f"({{a}} - {{a}}.mean({ROW})) / {{z}}_spread", (NORMAL,), (f"{{z}}_spread = sqrt({{a}}.var({ROW}) + {{n}})",)
    ),
    "binary_cross_entropy": Source(
        "logaddexp(0.0, (1.0 - 2.0 * {t}) * {a})", ("{z}_slope * {d}",), SMALL, (f"{{z}}_slope = {SIGMOID} - {{t}}",)
    ),
}


def source_of(node):
    """Return the Source of a node's operation, for the shapes that it has; None for an unknown operation."""
    row = row_of(node._op)
    found = SHAPED.get(row.name if row else node._op) or SOURCES.get(node._op)
    return found(node) if callable(found) else found or (by_row(row) if row else None)


def by_row(row):
    """Return the Source of an operation on each number, by its row; None if it uses `if`, which arrays cannot."""
    slopes = [{"": "{d}", "-1.0": "-{d}"}.get(text, f"{template(text)} * {{d}}") for text in row.slopes]
    refuses = " or ".join(f"count_nonzero({template(condition)})" for condition, _ in row.outside)
    found = Source(template(row.value), slopes, [*map(template, row.lines)], (), refuses)
    return None if " if " in str(found) else found


def power(node):
    """Return the Source of x ** n for a plain n. An x of one number is an array, as in the engine, not a scalar."""
    x, (n,) = node._prev[0], node._constants
    a = "asarray({a})" if x._prev and not x.shape else "{a}"
    slope = "2.0 * {a} * {d}" if n == 2 else f"{literal(n)} * {a} ** {literal(n - 1)} * {{d}}" if n else "{d} * 0.0"
    outside = ["count_nonzero({a} == 0)"] * (n < 0) + ["count_nonzero({a} < 0)"] * (n % 1 != 0)
    return Source(f"{a} ** {literal(n)}", (slope,), refuses=" or ".join(outside))


def total(node):
    """Return the Source of a sum or a mean over axes."""
    x, (axis, keepdims) = node._prev[0], node._constants
    kept = np.zeros(x.shape).sum(axis=axis, keepdims=True).shape
    axes = ", ".join([f"axis={axis}"] * (axis is not None) + ["keepdims=True"] * bool(keepdims))
    count = f" / {x.data.size / max(1, node.data.size)}" if node._op == "mean" else ""
    d = f"{{d}}{count}" if node.shape in ((), kept) else f"({{d}}{count}).reshape({kept})"
    return Source(f"{{a}}.sum({axes}){count}", (f"full({x.shape}, {d})",))


def reshaped(node):
    """Return the Source of the same numbers in another shape."""
    return Source(f"{{a}}.reshape({node.shape}).copy()", (f"{{d}}.reshape({node._prev[0].shape})",))


def gathered(node):
    """Return the Source of x[rows]. {i}: the index as written between brackets."""
    x, index = node._prev[0], node._constants[0]
    refuses = f"{{z}}.shape != {node.shape}" if by_truths(index) else ""
    taken = "{a}.take({t}, axis=0)" if by_numbers(index) else "{a}[{i}].copy()"
    return Source(taken, (f"scattered({x.shape}, {{t}}, {{d}})",), refuses=refuses)


def by_numbers(index):
    """Return whether an index is an array of row numbers: NumPy's `take` does these four times as fast as brackets."""
    return isinstance(index, np.ndarray) and index.ndim > 0 and index.dtype == np.int64


def by_truths(index):
    """Return whether the number of items that an index takes may depend on booleans in it."""
    parts = index if type(index) is tuple else (index,)
    return any(type(part) is list or getattr(part, "dtype", None) == np.bool_ for part in parts)


def product(node):
    """Return the Source of x @ y: of two matrices, or with a vector as a row or as a column."""
    x, y = (input.data.ndim == 1 for input in node._prev)
    if [input.data.ndim for input in node._prev] == [2, 2]:
        return Source("{a} @ {b}", ("{d} @ {b}.T", "{a}.T @ {d}"))
    rows, columns = "{a}[None, :]" if x else "{a}", "{b}[:, None]" if y else "{b}"
    shape = node.shape + (1,) * y
    d, end = f"{{d}}.reshape({shape[:-1] + (1,) * x + shape[-1:]})", "[..., 0]" * y
    by_right = f"({rows}.swapaxes(-1, -2) @ {d}){end}"
    return Source(f"({rows} @ {columns}){'[..., 0, :]' * x}{end}", (f"{d} @ {columns}.swapaxes(-1, -2)", by_right))


def cross_entropy(node):
    """Return the Source of softmax_cross_entropy, with its mean written as a sum and a division."""
    n, _ = node._prev[0].shape
    shifted = "{z}_shifted = {a} - {a}.max(axis=1, keepdims=True)"
    return Source(
        f"(log({{z}}_sums[:, 0]) - {{z}}_shifted[{{each}}, {{t}}]).sum() / {n}",
        (f"{{z}}_slope / {n} * {{d}}",),
        (shifted, "{z}_exp = exp({z}_shifted)", "{z}_sums = {z}_exp.sum(axis=1, keepdims=True)"),
        ("{z}_slope = {z}_exp / {z}_sums", "{z}_slope[{each}, {t}] -= 1.0"),
        "count_nonzero({t} < 0)",  # if one is too large, NumPy raises IndexError
    )


def hinge(node):
    """Return the Source of the max-margin loss."""
    ndim, size = node._constants[0].ndim, node._constants[0].size
    axes = f"axis={(-2, -1)[2 - ndim :]}" if node.shape else ""
    d = f"{{d}}.reshape({node.shape + (1,) * ndim})" if node.shape else "{d}"
    return Source(
        f"maximum({{z}}_margins, 0.0).sum({axes}) / {size}",
        (f"{{z}}_slope * {d}",),
        ("{z}_margins = 1.0 - {t} * {a}",),
        (f"{{z}}_slope = where({{z}}_margins <= 0, 0.0, {{t}} / -{size})",),
        "count_nonzero(abs({t}) != 1.0)",
    )


SHAPED = {"**n": power, "sum": total, "mean": total, "reshape": reshaped, "[]": gathered, "@": product}
SHAPED |= {"softmax_cross_entropy": cross_entropy, "hinge": hinge}


def unbroadcast(text, given, wanted):
    """Return `autograd.arrays.backward.unbroadcast` as source: an expression of one shape, summed to another."""
    if given == wanted:
        return text
    extra = len(given) - len(wanted)
    axes = (*range(extra), *(extra + i for i, size in enumerate(wanted) if size == 1 != given[extra + i]))
    over = "" if len(axes) == len(given) else f"axis={axes[0] if len(axes) == 1 else axes}"
    same = tuple(size for i, size in enumerate(given) if i not in axes) == wanted
    return f"{text if text.isidentifier() else f'({text})'}.sum({over}){'' if same else f'.reshape({wanted})'}"


def scattered(shape, rows, upstream):
    """Return an array of this shape in which each row sums what its copies in x[rows] got, in their order."""
    gradient = np.zeros(shape)
    if upstream.size < gradient.size:  # faster then; the rest adds the same numbers in the same order
        np.add.at(gradient, rows, upstream)
        return gradient
    places = np.arange(gradient.size).reshape(shape)
    places = places.take(rows, axis=0) if by_numbers(rows) else places[rows]
    return np.bincount(places.ravel(), upstream.ravel(), gradient.size).reshape(shape)


OTHERS = "array asarray full zeros where maximum logaddexp broadcast_arrays count_nonzero"
NUMPY = {name: getattr(np, name) for name in (*MATH, *OTHERS.split()) if hasattr(np, name)}
NUMPY |= {"pow": np.float_power, "scattered": scattered}
