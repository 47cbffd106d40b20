"""Stop the code of a wrong answer after so many loop rounds and calls, however fast the machine is."""

import ast
import functools
import operator

from exercises.sandbox.guard import TimeUp

TICK = "_tick"  # the counter's name in a wrong answer's code
DIGITS = 1_000_000  # bits of a whole number that a mistake's code may compute as a power
TICKS = 100_000  # rounds of loops and calls in one test of a mistake's code; with more it counts as endless


class Ticks:
    """A counter of what a wrong answer's code does in one test; it raises TimeUp if that is too much."""

    in_place = staticmethod(operator.ipow)

    def __init__(self):
        self.left = TICKS

    def __call__(self):
        self.left -= 1
        if self.left <= 0:
            raise TimeUp
        return True  # in a comprehension it is a condition

    def power(self, base, exponent, raised=operator.pow):
        """Compute `base ** exponent`. Raise TimeUp if that is a whole number of more digits than anyone waits for."""
        if type(base) is type(exponent) is int and base.bit_length() * exponent > DIGITS:
            self.left = 0
            raise TimeUp
        return raised(base, exponent)


class Counting(ast.NodeTransformer):
    """A transformer that adds a call of the counter to every round of loops and comprehensions, and every function.

    Powers go through the counter, too, which looks at their size.
    """

    def generic_visit(self, node):
        super().generic_visit(node)
        tick = ast.Name(TICK, ast.Load())
        call, power = ast.Call(tick, [], []), ast.Attribute(tick, "power", ast.Load())
        match node:
            case ast.BinOp(left, ast.Pow(), right):
                return ast.copy_location(ast.Call(power, [left, right], []), node)
            case ast.AugAssign(ast.Name(name), ast.Pow(), right):
                in_place = [ast.keyword("raised", ast.Attribute(tick, "in_place", ast.Load()))]
                value = ast.Call(power, [ast.Name(name, ast.Load()), right], in_place)
                return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)
        if isinstance(node, ast.comprehension):
            node.ifs.insert(0, call)
        elif isinstance(node, ast.For | ast.While | ast.FunctionDef):
            place = 1 if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None else 0
            node.body.insert(place, ast.copy_location(ast.Expr(call), node.body[0]))
        return node


@functools.lru_cache(maxsize=512)
def counted(code):
    """Return the tree of a text with counters in its loops and functions."""
    return ast.fix_missing_locations(Counting().visit(ast.parse(code)))
