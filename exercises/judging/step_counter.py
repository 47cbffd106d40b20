"""Stop the code of a wrong answer after so many loop rounds and calls, however fast the machine is."""

import ast
import functools
import operator

from exercises.sandbox.guard import TimeUp

TICK = "_tick"  # the name of what counts in a wrong answer's code
DIGITS = 1_000_000  # binary ones of a whole number that a mistake's code may raise to a power
TICKS = 100_000  # rounds of loops and calls in one test of a mistake's code; with more it is taken for endless


class Ticks:
    """Counts what a wrong answer's code does in one test: TimeUp where that is too much."""

    in_place = staticmethod(operator.ipow)

    def __init__(self):
        self.left = TICKS

    def __call__(self):
        self.left -= 1
        if self.left <= 0:
            raise TimeUp
        return True  # in a comprehension it stands as a condition

    def power(self, base, exponent, raised=operator.pow):
        """`base ** exponent`; TimeUp where that is a whole number of more digits than anyone waits for."""
        if type(base) is type(exponent) is int and base.bit_length() * exponent > DIGITS:
            self.left = 0
            raise TimeUp
        return raised(base, exponent)


class Counting(ast.NodeTransformer):
    """Puts a call that counts at the beginning of each loop's and each comprehension's round and of each function.

    And each power goes through one that looks how large it is.
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
    """The tree of a text whose loops and functions count their rounds and calls."""
    return ast.fix_missing_locations(Counting().visit(ast.parse(code)))
