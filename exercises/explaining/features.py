"""Compare the text of an answer with the text of a mistake: is the mistake possible, and how well do they match?"""

import ast
import builtins
import collections
import copy
import functools
import textwrap

SAME, LIKE = 3.0, 2.0  # the scores of an answer that is the mistake's code, and of one made of the same parts
ENOUGH = 0.6  # the share of a mistake's changes that an answer must have if a test raised or only some tests agree
SOME = 0.3  # the same if numbers in every test already point to it
SPELLINGS = {f"name {name}" for name in dir(builtins)} | {  # something else can take the place of each of these
    f".{name}" for kind in (list, set, dict, collections.deque) for name in dir(kind)
}


def score(source, right, wrongs):
    """Return how far an answer's text supports a mistake: from 0 (not at all) to 1, LIKE or SAME; None without a text.

    source: the answer's text. right: the solution. wrongs: the texts that make the mistake; the nearest counts.
    """
    if not (here := features(source)):
        return None
    if any(normalise_code(source) == normalise_code(wrong) for wrong in wrongs):
        return SAME
    made = [there for there in map(features, wrongs) if there is not None]  # two changes together may be invalid
    return max((share(here, features(right), there) for there in made), default=0.0)


def possible(source, right, wrongs):
    """Return whether a mistake can be in an answer's text.

    False if each way to make it needs a name or a number that is missing, or removes one that is still there.
    """
    if not (here := features(source)):
        return True
    return any(fits(here, features(right), features(wrong)) for wrong in wrongs)


def fits(here, right, wrong):
    """Return whether the names and numbers in a text allow that a change is in it."""
    changed = {kind for kind in right.keys() | wrong.keys() if tells(kind) and right[kind] != wrong[kind]}
    come = [kind for kind in changed if wrong[kind] and not right[kind]]
    gone = [kind for kind in changed if right[kind] and not wrong[kind]]
    return all(here[kind] for kind in come) and not (gone and all(is_left(kind, here, right, wrong) for kind in gone))


def is_left(kind, here, right, wrong):
    """Return whether a text has what a mistake takes away; a number, in the place that the mistake changes."""
    number = kind.removeprefix("number ")
    places = [each for each in right - wrong if isinstance(each, tuple) and number in each] if number != kind else []
    return here[kind] >= right[kind] and (not places or any(here[each] for each in places))


def tells(kind):
    """Return whether something in a text is a number, an update, or a name that nothing else can stand for."""
    return isinstance(kind, str) and kind.startswith((".", "name ", "number ", "updates ")) and kind not in SPELLINGS


@functools.lru_cache(maxsize=4096)
def inputs_read(text, other=""):
    """Return {(function, position)} of the inputs that a text's functions read.

    other: a text; what it reads in functions that the first one lacks, or gives other inputs, is taken to be read too.
    """
    found, functions = set(), functions_of(text)
    for name, function in functions.items():
        read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        found |= {(name, i) for i, arg in enumerate(function.args.args) if arg.arg in read}
    for name, function in functions_of(other).items():
        own = functions.get(name)
        if own is None or own.args.vararg or len(own.args.args) != len(function.args.args):
            found |= {(name, i) for i in range(len(function.args.args))}
    return found


def functions_of(text):
    """Return {name: function} of the functions at a text's outermost level, and of the methods written for Value."""
    tree = parsed(text)
    nodes = list(tree.body) if tree else []
    for node in [node for node in nodes if isinstance(node, ast.ClassDef)]:
        nodes += node.body if any(ast.unparse(base) == "Value" for base in node.bases) else ()
    return {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}


def adds(right, wrong):
    """Return whether a change puts something into a text, so that the text can show that it was made."""
    here, there = features(right), features(wrong) or {}
    return any(there[kind] > here[kind] for kind in there if not isinstance(kind, str))


@functools.lru_cache(maxsize=4096)
def normalise_code(text):
    """Return a text without its comments, spaces and docstrings; unchanged if it is not valid Python."""
    if (tree := parsed(text)) is None:
        return text
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def share(here, right, wrong):
    """Return how much of the change from one text to another is in a third; LIKE if the third is like the other one."""
    if here == wrong:
        return LIKE
    kinds = {kind for kind in right.keys() | wrong.keys() if right[kind] != wrong[kind]}
    come = [here[k] >= wrong[k] for k in kinds if wrong[k] > right[k]]
    gone = [here[k] <= wrong[k] for k in kinds if wrong[k] < right[k]]
    kept = (here & wrong).total() / max(1, wrong.total())
    told = any(come) if come else kept > 0.5  # something may be missing for another reason
    return sum(come + gone) / len(kinds) * (1.0 if told else 0.5) if kinds else 0.0


@functools.lru_cache(maxsize=4096)
def features(text):
    """Count what a text is made of, whatever its variables are called; return None if it is not valid Python."""
    if (tree := parsed(text)) is None:
        return None
    nodes = list(ast.walk(tree))
    own = {n.id: "a name" for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    for each in (n for n in nodes if isinstance(n, ast.arguments)):
        own |= {arg.arg: f"input {i}" for i, arg in enumerate([*each.args, *each.kwonlyargs])}
    found = collections.Counter()
    for node in nodes:
        found.update(of_node(node, own))
        for field in ("body", "orelse"):  # the lines of a block, so that a missing or moved line is seen
            block = getattr(node, field, None)
            if isinstance(block, list):
                found.update((type(node).__name__, field, i, brief(line, own)) for i, line in enumerate(block))
    return found


def of_node(node, own):
    """Yield what one node of a tree adds to the count."""
    match node:
        case ast.BinOp() | ast.AugAssign():
            left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
            sign = f"{type(node).__name__} {type(node.op).__name__}"
            yield sign
            yield sign, brief(left, own), brief(right, own)
            if isinstance(node, ast.AugAssign) and isinstance(left, ast.Attribute):
                yield f"updates .{left.attr}"
            if isinstance(node, ast.AugAssign) and isinstance(right, ast.BinOp):
                yield "adds", brief(left, own), *sorted((brief(right.left, own), brief(right.right, own)))
        case ast.Assign():
            target = node.targets[0]
            yield "=", brief(target, own)
            if isinstance(target, ast.Attribute) and any(
                ast.unparse(part) == ast.unparse(target) for part in ast.walk(node.value)
            ):
                yield f"updates .{target.attr}"
        case ast.Compare():
            yield "compared", type(node.ops[0]).__name__, brief(node.left, own), brief(node.comparators[0], own)
        case ast.BoolOp() | ast.UnaryOp():
            yield type(node.op).__name__
        case ast.Attribute():
            yield f".{node.attr}"
        case ast.Call():
            yield "call", brief(node.func, own), *(brief(arg, own) for arg in node.args)
            yield from (("argument", keyword.arg) for keyword in node.keywords)
        case ast.FormattedValue() if node.format_spec:
            yield "shown", ast.unparse(node.format_spec)
        case ast.Constant() if not isinstance(node.value, str):
            yield f"number {constant(node.value)}"
        case ast.Name() if node.id not in own:
            yield f"name {node.id}"
        case ast.arguments():
            yield "inputs", len(node.args)
            yield from (("default", ast.unparse(default)) for default in node.defaults)
        case ast.comprehension():
            yield "comprehension", len(node.ifs), brief(node.iter, own)
        case ast.For():
            yield "For"
            yield "For", brief(node.iter, own)
        case ast.If() | ast.IfExp() | ast.While() | ast.Return() | ast.Continue() | ast.Break():
            yield type(node).__name__


def brief(node, own):
    """Return a node in a word: its kind, with the names that the text does not define itself."""
    match node:
        case ast.Name():
            return own.get(node.id, node.id)
        case ast.Attribute():
            return f"{brief(node.value, own)}.{node.attr}" if isinstance(node.value, ast.Name) else f".{node.attr}"
        case ast.Constant():
            return constant(node.value) if not isinstance(node.value, str) else "text"
        case ast.Call() | ast.Starred() | ast.Expr():
            return f"{type(node).__name__} {brief(getattr(node, 'func', None) or node.value, own)}"
        case ast.BinOp() | ast.UnaryOp() | ast.AugAssign():
            return type(node.op).__name__
    return type(node).__name__


def constant(value):
    """Return a constant as text: 0 and 0.0 are the same."""
    return repr(int(value) if isinstance(value, float) and value.is_integer() else value)


# One spelling of what people write in several


def parsed(text):
    """Return the tree of a text, keeping the last of each function defined twice; None if it is not valid Python."""
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
    """Replace local names that are used once, or that only rename something, by their values.

    Leaves names whose value the function changes later, and names that an inner function uses: it runs at another time.
    """
    Apart().visit(function)
    inner = [each for each in ast.walk(function) if isinstance(each, ast.FunctionDef | ast.Lambda) and each != function]
    later = {node.id for each in inner for node in ast.walk(each) if isinstance(node, ast.Name)}
    given, used, changed = collections.Counter(), collections.Counter(), set()
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
    """Puts values in the place of names, and removes the lines that assigned them: {name: its line}."""

    def __init__(self, named):
        self.named, self.lines, self.open = named, {id(line) for line in named.values()}, []

    def visit_Name(self, node):
        line = self.named.get(node.id) if isinstance(node.ctx, ast.Load) and node.id not in self.open else None
        if line is None:
            return node
        self.open.append(node.id)  # the x in `x = f(x)` is an earlier one
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
    """Writes in one way what can be written in two: an in-place sum, a condition's two results, an empty list."""

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
