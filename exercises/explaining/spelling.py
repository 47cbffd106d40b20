"""One spelling of what people write in several: an answer's tree, made so that texts can be compared by what they do.

Names that are used once stand where they are used, `x = x + y` is `x += y`, two returns under a condition are one.
"""

import ast
import copy
import textwrap
from collections import Counter


def parsed(text):
    """The tree of a text, of a function that it defines twice the second alone; None where it is no Python."""
    try:
        tree = ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError):
        return None
    last = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    tree.body = [node for node in tree.body if last.get(getattr(node, "name", None), node) is node]
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        put_in(function)
    return ast.fix_missing_locations(OneSpelling().visit(tree))


def put_in(function):
    """Put what a function gives a name to, and uses once or only reads, where it uses it.

    Not what it changes since, nor what a function inside of it uses: that is computed at another time.
    """
    Apart().visit(function)
    inner = [each for each in ast.walk(function) if isinstance(each, ast.FunctionDef | ast.Lambda) and each != function]
    later = {node.id for each in inner for node in ast.walk(each) if isinstance(node, ast.Name)}
    given, used, changed = Counter(), Counter(), set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else given)[node.id] += 1
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            changed.add(node.attr)
    named = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and len(node.targets) == 1:
            name, reads = node.targets[0].id, isinstance(node.value, ast.Attribute | ast.Name | ast.Constant)
            old = any(isinstance(each, ast.Attribute) and each.attr in changed for each in ast.walk(node.value))
            if given[name] == 1 and (used[name] == 1 or (reads and used[name])) and not old and name not in later:
                named[name] = node
    Inside(named).visit(function)


class Apart(ast.NodeTransformer):
    """Writes `a, b = c, d` as two lines."""

    def visit_Assign(self, node):
        match node:
            case ast.Assign([ast.Tuple(names)], ast.Tuple(values)) if len(names) == len(values) and all(
                isinstance(name, ast.Name) for name in names
            ):
                return [ast.copy_location(ast.Assign([name], value), node) for name, value in zip(names, values)]
        return node


class Inside(ast.NodeTransformer):
    """Puts values in the place of names, and takes away the lines that gave these: {name: its line}."""

    def __init__(self, named):
        self.named, self.lines, self.open = named, {id(line) for line in named.values()}, []

    def visit_Name(self, node):
        line = self.named.get(node.id) if isinstance(node.ctx, ast.Load) and node.id not in self.open else None
        if line is None:
            return node
        self.open.append(node.id)  # `x = f(x)` is of another x
        found = self.visit(copy.deepcopy(line.value))
        self.open.pop()
        return found

    def visit_Assign(self, node):
        return None if id(node) in self.lines else self.generic_visit(node)

    def generic_visit(self, node):
        super().generic_visit(node)
        if getattr(node, "body", None) == []:
            node.body = [ast.Pass()]
        return node


class OneSpelling(ast.NodeTransformer):
    """Writes in one way what can be written in two: a sum in place, a condition's two results, an empty list."""

    def visit_Assign(self, node):
        self.generic_visit(node)
        target, value = node.targets[0], node.value
        if isinstance(value, ast.BinOp) and ast.unparse(value.left) == ast.unparse(target):
            return ast.copy_location(ast.AugAssign(target, value.op, value.right), node)
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        match node:
            case ast.Compare(ast.Call(ast.Name("len"), [things]), [ast.Eq()], [ast.Constant(0)]):
                return ast.UnaryOp(ast.Not(), things)
        return node

    def generic_visit(self, node):
        super().generic_visit(node)
        body = getattr(node, "body", None)
        if isinstance(body, list):
            for i, line in enumerate(body):
                after = getattr(line, "orelse", []) or body[i + 1 : i + 2]
                match line, after:
                    case ast.If(test, [ast.Return(one)]), [ast.Return(other)] if one and other:
                        result = ast.Return(ast.IfExp(test, one, other))
                        body[i : i + (1 if line.orelse else 2)] = [ast.copy_location(result, line)]
        return node
