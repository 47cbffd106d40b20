"""Which automatic mutants of the solutions the checks accept: `python -m benchmarks.mutants`, or with exercises' names.

A mutant is a solution with one change: another operator, constant or name, a line left out, a condition turned round.
The check must refuse it, or it does the same as the solution: then it stands in equivalent_mutants.toml, with a reason.
"""

import ast
import copy
import itertools
import multiprocessing
import os
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from exercises import check, guard, library

EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
SECONDS = 0.6  # of work, after which a mutant is taken for one that never ends
BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.FloorDiv)
COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
TURNED = {ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
ATTRIBUTES = ("data", "grad"), ("value", "derivative"), ("weights", "bias"), ("append", "extend")
FUNCTIONS = ("reversed", "list"), ("sum", "max"), ("all", "any"), ("zip", "map"), ("range", "reversed")


@dataclass(frozen=True)
class Mutant:
    """A solution with one change: its text, and the lines that it changes as "old -> new"."""

    exercise: str
    code: str
    change: str


def mutants(exercise):
    """The Mutants of an exercise's solution, each text once."""
    tree = ast.parse(library.solution(exercise).code)
    for node in ast.walk(tree):  # without docstrings, so that nothing is left out that does nothing
        body = getattr(node, "body", None)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None and len(body) > 1:
            del body[0]
    right, seen = ast.unparse(tree), set()
    for i, node in enumerate(ast.walk(tree)):
        for change in changes(node, tree):
            made = copy.deepcopy(tree)
            target = next(itertools.islice(ast.walk(made), i, None))
            change(target)
            try:
                code = ast.unparse(ast.fix_missing_locations(made))
                compile(code, "mutant", "exec")
            except Exception:
                continue  # no Python
            if code != right and code not in seen:
                seen.add(code)
                yield Mutant(exercise, code, difference(right, code))


def difference(right, code):
    """The lines that differ, as "old -> new"."""
    old, new = right.splitlines(), code.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return f"{'; '.join(map(str.strip, old))} -> {'; '.join(map(str.strip, new))}"


def changes(node, tree):
    """Functions that change a node of this kind in place, one for each mutant."""
    if isinstance(node, ast.BinOp):
        yield from (setter("op", op()) for op in BINARY if not isinstance(node.op, op))
        if not isinstance(node.op, ast.Add | ast.Mult):
            yield lambda n: vars(n).update(left=n.right, right=n.left)
    elif isinstance(node, ast.AugAssign):
        yield from (setter("op", op()) for op in BINARY if not isinstance(node.op, op))
    elif isinstance(node, ast.Compare):
        kinds = COMPARED if isinstance(node.ops[0], COMPARED) else (TURNED[type(node.ops[0])],)
        yield from (setter("ops", [op()]) for op in kinds if not isinstance(node.ops[0], op))
    elif isinstance(node, ast.BoolOp):
        yield setter("op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.Constant):
        yield from (setter("value", other) for other in others(node.value))
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from (setter("id", other) for other in names_near(node, tree) if other != node.id)
        yield from (setter("id", b if node.id == a else a) for a, b in FUNCTIONS if node.id in (a, b))
    elif isinstance(node, ast.Attribute):
        yield from (setter("attr", b if node.attr == a else a) for a, b in ATTRIBUTES if node.attr in (a, b))
    elif isinstance(node, ast.Call):
        if len(node.args) > 1:
            yield setter("args", node.args[::-1])
        yield from (lambda n, i=i: n.args.pop(i) for i in range(len(node.args)))
        yield from (lambda n, i=i: n.keywords.pop(i) for i in range(len(node.keywords)))
    elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
        yield from (lambda n, i=i: n.elts.pop(i) for i in range(len(node.elts)))
        if len(node.elts) > 1:
            yield setter("elts", node.elts[::-1])
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield setter("test", ast.UnaryOp(ast.Not(), node.test))
        if not isinstance(node, ast.While):
            yield from (setter("test", ast.Constant(value)) for value in (True, False))
    elif isinstance(node, ast.comprehension):
        yield from (lambda n, i=i: n.ifs.pop(i) for i in range(len(node.ifs)))
        yield setter("iter", ast.Subscript(node.iter, ast.Slice(ast.Constant(1)), ast.Load()))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield setter("op", ast.UAdd())
    for field in ("body", "orelse"):
        block = getattr(node, field, None)
        if isinstance(block, list) and not isinstance(node, ast.Module | ast.Lambda):
            yield from (left_out(field, i) for i in range(len(block)))
            yield from (exchanged(field, i) for i in range(len(block) - 1))


def setter(field, value):
    """A function that sets a field of a node."""
    return lambda node: setattr(node, field, copy.deepcopy(value))


def left_out(field, i):
    """A function that takes a line out of a block."""
    return lambda node: getattr(node, field).__setitem__(i, ast.Pass())


def exchanged(field, i):
    """A function that exchanges two lines of a block."""

    def change(node):
        block = getattr(node, field)
        block[i], block[i + 1] = block[i + 1], block[i]

    return change


def others(value):
    """What a constant is changed to."""
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int | float):
        return tuple({value + 1, value - 1, -value, 0, 1, 2 * value} - {value})
    if isinstance(value, str):
        return ("", value + "x")
    return ()


def names_near(node, tree):
    """The other names that the same function gives to something."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and node in ast.walk(n)]
    found = {}
    for function in functions:
        for inner in ast.walk(function):
            if isinstance(inner, ast.arg):
                found[inner.arg] = True
            elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found[inner.id] = True
    return tuple(found)


def survives(mutant):
    """Whether the check takes a mutant for right."""
    checked = getattr(check, mutant.exercise)
    try:
        answers = checked.answers(mutant.code)
    except Exception:
        return False
    return bool(checked.judge(*answers, compares=False))


def equivalent():
    """{exercise: {change: reason}} of the mutants that do what the solution does."""
    with EQUIVALENT.open("rb") as file:
        return tomllib.load(file)


def survivors(exercise):
    """(number of mutants, those that the check accepts)."""
    guard.SECONDS = SECONDS
    made = list(mutants(exercise))
    return exercise, len(made), [mutant for mutant in made if survives(mutant)]


def main(names):
    """Print for each exercise how many mutants are refused, and each that is not and should be."""
    for name in ("BACKPROP_DATA_DIR", "BACKPROP_ENGINE_DIR"):
        os.environ[name] = tempfile.mkdtemp()
    fine, known = True, equivalent()
    with multiprocessing.Pool() as pool:
        for exercise, count, left in pool.imap(survivors, names or list(check.LESSON_OF)):
            same = known.get(exercise, {})
            new = [mutant for mutant in left if mutant.change not in same]
            gone = set(same) - {mutant.change for mutant in left}
            print(f"{exercise:22}{count:6} mutants, {len(left) - len(new)} equivalent, {len(new)} accepted", flush=True)
            for mutant in new:
                print(f"    {mutant.change}", flush=True)
            for change in gone:
                print(f"    in the list, but refused or not made: {change}", flush=True)
            fine = fine and not new and not gone
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
