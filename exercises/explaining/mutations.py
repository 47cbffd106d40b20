"""Slips: a Python text with one thing changed: an operator, a constant, a name, a missing line, a negated condition.

One that makes a wrong answer right shows what is wrong with it; benchmarks.mutants tests the checks with them.
"""

import ast
import builtins
import contextlib
import copy
import functools
import re
from dataclasses import dataclass

SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.Pow: "**", ast.FloorDiv: "//"}
SIGNS |= {ast.Mod: "%", ast.BitOr: "|", ast.BitAnd: "&", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}
SIGNS |= {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in"}
SIGNS |= {ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not", ast.And: "and", ast.Or: "or"}
BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.FloorDiv)
COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
TURNED = {ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
BESIDE = " beside 1"  # 1 * p fixes what p alone fixes, and nobody means it
LONGEST = 90  # characters of a line that is shown
DECIMAL = re.compile(r"(?<![\w.])(?:\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+)(?![\w.])")
PLAIN = {ord(" "): None, ord('"'): "'"}
ATTRIBUTES = ("data", "grad"), ("value", "derivative"), ("weights", "bias"), ("append", "extend")
FUNCTIONS = (
    ("reversed", "list"),
    ("sum", "max"),
    ("min", "max"),
    ("sum", "min"),
    ("all", "any"),
    ("zip", "map"),
    ("range", "reversed"),
)


@dataclass(frozen=True)
class Mutation:
    """A text with one change: what was done in a few words, the text, and the lines changed, as "old -> new".

    remedy: what to change if this slip makes a text right, in lines as their author wrote them.
    """

    words: str
    code: str
    change: str
    remedy: str


@functools.lru_cache(maxsize=4)
def all_mutations(code, more=None):
    """Return the Slips of a Python text, each text once: first those of `more`, a function like `changes`, if given."""
    return tuple(each_mutation(code, more))


def each_mutation(code, more=None):
    """Yield the Slips of a Python text one by one, as `all_mutations` returns them."""
    tree = ast.parse(code)
    for node in ast.walk(tree):  # without docstrings: leaving one out changes nothing
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) and len(node.body) > 1:
            node.first = node.body.pop(0)
    right = ast.unparse(tree)
    found, own = {right}, written_lines(code, tree, right)
    for changes_at in filter(None, (more, changes)):
        for node in list(ast.walk(tree)):
            for words, change in list(changes_at(node, tree)):
                with changed_for_now(node, change) as before:
                    moved = moved_lines(before, node)
                    try:
                        text = ast.unparse(tree)
                        compile(text, "slip", "exec")
                    except Exception:
                        continue  # not valid Python
                if text not in found:
                    found.add(text)
                    old, new, place = difference(right, text)
                    change = f"{'; '.join(map(str.strip, old))} -> {'; '.join(map(str.strip, new))}"
                    remedy = moving(code, *moved) if moved else rewriting(own[place], old[0].strip(), new[0].strip())
                    yield Mutation(words, text, change, remedy)


@contextlib.contextmanager
def changed_for_now(node, change):
    """Change a node and yield its fields from before; afterwards restore it, with its kind and the lists in it."""
    kind = type(node)
    before = {field: value[:] if isinstance(value, list) else value for field, value in vars(node).items()}
    change(node)
    try:
        yield before
    finally:
        node.__class__ = kind
        vars(node).clear()
        vars(node).update(before)


def difference(right, text):
    """Return the lines that differ, old ones and new ones, and the place of the first one."""
    old, new, place = right.splitlines(), text.splitlines(), 0
    while old and new and old[0] == new[0]:
        del old[0], new[0]
        place += 1
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return old or [""], new or [""], place


def moved_lines(before, node):
    """Return the statements that are gone from their places in a node's blocks, and how many the block had."""
    for field in ("body", "orelse"):
        block = before.get(field)
        if isinstance(block, list) and (moved := [old for old, new in zip(block, getattr(node, field)) if old != new]):
            return moved, len(block)
    return None


def moving(code, moved, count):
    """Return what to do with a statement to be removed, or with two to be exchanged."""
    lines = [quoted(line_as_written(code, statement)) for statement in moved]
    if len(lines) > 1:
        return f"put {lines[1]} before {lines[0]}"
    return f"take away {lines[0]}" if count > 1 else f"write `pass` in place of {lines[0]}"


def line_as_written(code, statement):
    """Return a statement as its author wrote it, in one line, with what is inside it if that is one statement."""
    head, body = " ".join(head_of(code, statement).split()), getattr(statement, "body", [])
    is_short = len(body) == 1 and not getattr(statement, "orelse", [])
    return f"{head} {line_as_written(code, body[0]) if is_short else '…'}" if body else head


def rewriting(own, old, new):
    """Return the change of an author's own line, which Python unparses as `old`, to `new`."""
    numbers = {repr(ast.literal_eval(number)): number for number in DECIMAL.findall(own)}
    old, new = (DECIMAL.sub(lambda number: numbers.get(number[0], number[0]), text) for text in (old, new))
    head = common(old, new)
    tail = common(old[head:][::-1], new[head:][::-1])
    if own.translate(PLAIN) == old.translate(PLAIN):  # keep the author's spaces and quotes
        gone, places = old[head : len(old) - tail], [i for i, c in enumerate(own) if c != " "]
        first = len(old[:head].replace(" ", ""))
        last = first + len(gone.replace(" ", ""))
        start = places[first] if old[head : head + 1] != " " and first < len(places) else places[first - 1] + 1
        end = places[last] if gone[-1:] == " " else places[last - 1] + 1 if last else 0
        new = own[:start] + new[head : len(new) - tail] + own[max(start, end) :]
    cut = max(0, head - LONGEST // 2) if len(own) > LONGEST else 0
    return " → ".join(quoted("…" * bool(cut) + line[cut:]) for line in (own, new))


def common(one, other):
    """Return how many characters two texts share at the start."""
    return next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def written_lines(code, tree, right):
    """Return the lines of `right`, the unparsed tree of `code`, as `code` writes them, each as one line."""
    lines = [line.strip() for line in right.splitlines()]
    for node, own in zip(ast.walk(ast.parse(right)), ast.walk(tree)):
        if isinstance(node, ast.stmt):
            lines[node.lineno - 1] = " ".join(head_of(code, own).split())
    return [*lines, lines[-1]]


def head_of(code, statement):
    """Return a statement as it is written, or, if other statements are inside it, what comes before them."""
    text = ast.get_source_segment(code, statement)
    if not (body := getattr(statement, "body", None)):
        return text
    first = getattr(statement, "first", body[0])
    before = code.splitlines()[statement.lineno - 1 : first.lineno]
    before[-1] = before[-1].encode()[: first.col_offset].decode()
    return re.sub(r"\s+#.*", "", "\n".join(before))


def quoted(line):
    """Return a line of code in backticks, cut if it is long."""
    return f"`{line if len(line) <= LONGEST else line[: LONGEST - 1] + '…'}`"


def changes(node, tree):
    """Yield (words, a function that changes such a node in place) for each slip at this node."""
    for kinds, slips_of in MUTATORS.items():
        if isinstance(node, kinds):
            yield from slips_of(node, tree)
    for field in ("body", "orelse"):
        block = getattr(node, field, None)
        if isinstance(block, list) and not isinstance(node, ast.Module):
            yield from ((f"{line_of(line)} left out", left_out(field, i)) for i, line in enumerate(block))
            yield from (("two lines in the other order", exchanged(field, i)) for i in range(len(block) - 1))


def instead(new, old):
    return f"`{new}` where `{old}` belongs"


def operations(node, tree):
    """Yield another operator, also before an equals sign, or swapped operands if that makes a difference."""
    sign, end = SIGNS[type(node.op)], "=" if isinstance(node, ast.AugAssign) else ""
    others = [op for op in BINARY if not isinstance(node.op, op)]
    one = any(getattr(getattr(node, side, None), "value", None) == 1 for side in ("left", "right"))
    for op in others:
        way = BESIDE if one and sign in "+-" and SIGNS[op] not in "+-" else ""
        yield instead(f"{SIGNS[op]}{end}", f"{sign}{end}") + way, setter("op", op())
    if not end and sign not in "+*|&^":
        yield f"the two sides of `{sign}` exchanged", lambda n: vars(n).update(left=n.right, right=n.left)


def likely(node, tree):
    """Yield frequent mistakes: one of two operands left out, and `+=` for the `=` of a gradient."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and "grad" in ast.unparse(node.targets[0]):
        yield instead("+=", "="), in_place_of(ast.AugAssign(node.targets[0], ast.Add(), node.value))
    if isinstance(node, ast.BinOp):
        yield from (("an operand left out", in_place_of(side)) for side in (node.left, node.right))


def comparisons(node, tree):
    """Yield each other comparison."""
    now = type(node.ops[0])
    others = [op for op in COMPARED if op is not now] if now in COMPARED else [TURNED[now]]
    yield from ((instead(SIGNS[op], SIGNS[now]), setter("ops", [op()])) for op in others)


def connectives(node, tree):
    """Yield `and` for `or`, or the other way round."""
    other = ast.Or if isinstance(node.op, ast.And) else ast.And
    yield instead(SIGNS[other], SIGNS[type(node.op)]), setter("op", other())


def constants(node, tree):
    """Yield another number or text; the words name neither, because one of them is part of the solution."""
    value = node.value
    if any(is_rounding(each) and node in each.args[1:] for each in ast.walk(tree)):
        return  # more decimals would hide the mistake
    words = (
        f"another {'text' if isinstance(value, str) else 'value' if isinstance(value, bool) else 'number'} in one place"
    )
    if isinstance(value, bool):
        others = (not value,)
    elif isinstance(value, int | float):
        others = dict.fromkeys((value + 1, value - 1, -value, 0, 1, 2 * value))
    else:
        others = ("", value + "x") if isinstance(value, str) else ()
    yield from ((words, setter("value", other)) for other in others if other != value)


def names(node, tree):
    """Yield another name from the same function, or a related Python function; not for a lambda's arguments."""
    given = {arg.arg for one in ast.walk(tree) if isinstance(one, ast.Lambda) for arg in one.args.args}
    if isinstance(node.ctx, ast.Load) and node.id not in given:
        related = [b if node.id == a else a for a, b in FUNCTIONS if node.id in (a, b)]
        near = names_near(node, tree) if node.id not in vars(builtins) else ()  # `k(…)` for `sum(…)` is no help
        others = [*(name for name in near if name != node.id), *related]
        yield from ((instead(other, node.id), setter("id", other)) for other in others)


def attributes(node, tree):
    """Yield a related attribute, or `.T` left out."""
    others = [b if node.attr == a else a for a, b in ATTRIBUTES if node.attr in (a, b)]
    yield from ((instead(f".{other}", f".{node.attr}"), setter("attr", other)) for other in others)
    if node.attr == "T":
        yield "`.T` left out", in_place_of(node.value)


def is_rounding(node):
    """Return whether a node calls Python's `round`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "round" and node.args


def calls(node, tree):
    """Yield arguments in the other order, or one left out."""
    name = ast.unparse(node.func)
    if is_rounding(node):
        yield "a number that is rounded", in_place_of(node.args[0])
        return
    if len(node.args) > 1:
        yield f"the arguments of `{name}` in the other order", setter("args", node.args[::-1])
    left = f"an argument of `{name}` left out"
    yield from ((left, lambda n, i=i: n.args.pop(i)) for i in range(len(node.args)))
    yield from ((left, lambda n, i=i: n.keywords.pop(i)) for i in range(len(node.keywords)))


def items(node, tree):
    """Yield one item left out, or all in the other order."""
    if isinstance(node.ctx, ast.Load):
        yield from (
            (f"one of {len(node.elts)} items left out", lambda n, i=i: n.elts.pop(i)) for i in range(len(node.elts))
        )
        if len(node.elts) > 1:
            yield "the items in the other order", setter("elts", node.elts[::-1])


def conditions(node, tree):
    """Yield a negated condition, or one that holds always or never."""
    yield "a condition turned round", setter("test", ast.UnaryOp(ast.Not(), node.test))
    if not isinstance(node, ast.While):
        yield "a condition that always holds", setter("test", ast.Constant(True))
        yield "a condition that never holds", setter("test", ast.Constant(False))


def comprehensions(node, tree):
    """Yield a condition left out, or the first item."""
    yield from (("a condition left out", lambda n, i=i: n.ifs.pop(i)) for i in range(len(node.ifs)))
    yield "the first one left out", setter("iter", ast.Subscript(node.iter, ast.Slice(ast.Constant(1)), ast.Load()))


def signs(node, tree):
    """Yield a minus left out."""
    if isinstance(node.op, ast.USub):
        yield "a minus left out", setter("op", ast.UAdd())


MUTATORS = {
    (ast.BinOp, ast.AugAssign): operations,
    ast.Compare: comparisons,
    ast.BoolOp: connectives,
    ast.Constant: constants,
    ast.Name: names,
    ast.Attribute: attributes,
    ast.Call: calls,
    (ast.Tuple, ast.List): items,
    (ast.If, ast.IfExp, ast.While): conditions,
    ast.comprehension: comprehensions,
    ast.UnaryOp: signs,
}


def line_of(line):
    """Return a statement in a few words."""
    if isinstance(line, ast.Assign | ast.AugAssign | ast.AnnAssign):
        target = line.targets[0] if isinstance(line, ast.Assign) else line.target
        return f"the line that sets `{ast.unparse(target)}`"
    if isinstance(line, ast.Expr) and isinstance(line.value, ast.Call):
        return f"the call of `{ast.unparse(line.value.func)}`"
    words = {ast.Return: "a `return`", ast.If: "an `if`", ast.For: "a loop", ast.While: "a loop"}
    return words.get(type(line), "a line")


def setter(field, value):
    """Return a function that sets a field of a node."""
    return lambda node: setattr(node, field, copy.deepcopy(value))


def in_place_of(other):
    """Return a function that turns a node into another one."""

    def change(node):
        node.__class__ = type(other)
        vars(node).update(vars(other))

    return change


def left_out(field, i):
    """Return a function that removes a line from a block."""
    return lambda node: getattr(node, field).__setitem__(i, ast.Pass())


def exchanged(field, i):
    """Return a function that swaps two lines of a block."""

    def change(node):
        block = getattr(node, field)
        block[i], block[i + 1] = block[i + 1], block[i]

    return change


def names_near(node, tree):
    """Return the names that the functions around a node bind."""
    found = {}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and any(inner is node for inner in ast.walk(function)):
            for inner in ast.walk(function):
                if isinstance(inner, ast.arg):
                    found[inner.arg] = True
                elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                    found[inner.id] = True
    return tuple(found)
