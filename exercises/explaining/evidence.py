"""What an answer's own text says for and against a mistake: which of the changes that make the mistake stand in it.

Where several mistakes give all that was seen, the text decides; where what was seen is only an exception, a shape or a
type, a mistake is named only if the text bears it out.
"""

import ast
import builtins
import collections
import functools

from exercises.explaining.spelling import parsed

SAME, LIKE = 3.0, 2.0  # the scores of an answer that is the mistake's own code, and of one made of the same things
ENOUGH = 0.6  # the share of a mistake's changes that are in an answer where it is named for an exception or a part
SOME = 0.3  # and where numbers in every test already speak for it
SPELLINGS = {f"name {name}" for name in dir(builtins)} | {  # for what each of these does, another can stand
    f".{name}" for kind in (list, set, dict, collections.deque) for name in dir(kind)
}


def score(source, right, wrongs):
    """How far an answer's text bears out a mistake: from 0, not at all, to 1, LIKE, and SAME; None without a text.

    source: the answer's text. right: the solution. wrongs: the texts that make the mistake; the nearest counts.
    """
    if not (here := features(source)):
        return None
    if any(plain(source) == plain(wrong) for wrong in wrongs):
        return SAME
    made = [there for there in map(features, wrongs) if there is not None]  # two changes together may be no Python
    return max((share(here, features(right), there) for there in made), default=0.0)


def possible(source, right, wrongs):
    """Whether a mistake can be in an answer's text.

    False where each way to make it needs a name or a number that is not there, or takes away one that still is.
    """
    if not (here := features(source)):
        return True
    return any(fits(here, features(right), features(wrong)) for wrong in wrongs)


def fits(here, right, wrong):
    """Whether no name and no number tells that a change is not in a text."""
    changed = {kind for kind in right.keys() | wrong.keys() if tells(kind) and right[kind] != wrong[kind]}
    come = [kind for kind in changed if wrong[kind] and not right[kind]]
    gone = [kind for kind in changed if right[kind] and not wrong[kind]]
    return all(here[kind] for kind in come) and not (gone and all(here[kind] >= right[kind] for kind in gone))


def tells(kind):
    """Whether something that a text is made of is a number, or a name that nothing else can stand for."""
    return isinstance(kind, str) and kind.startswith((".", "name ", "number ")) and kind not in SPELLINGS


@functools.lru_cache(maxsize=4096)
def plain(text):
    """A text without its comments, spaces and docstrings; as it is where it is no Python."""
    if (tree := parsed(text)) is None:
        return text
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def share(here, right, wrong):
    """The share of the changes from one text to another that are in a third; LIKE if the third is made as the other."""
    if here == wrong:
        return LIKE
    kinds = {kind for kind in right.keys() | wrong.keys() if right[kind] != wrong[kind]}
    come = [here[k] >= wrong[k] for k in kinds if wrong[k] > right[k]]
    gone = [here[k] <= wrong[k] for k in kinds if wrong[k] < right[k]]
    kept = (here & wrong).total() / max(1, wrong.total())
    told = any(come) if come else kept > 0.5  # what is not there may be absent for another reason
    return sum(come + gone) / len(kinds) * (1.0 if told else 0.5) if kinds else 0.0


@functools.lru_cache(maxsize=4096)
def features(text):
    """What a text is made of, counted, whatever its variables are called; None where it is no Python."""
    if (tree := parsed(text)) is None:
        return None
    nodes = list(ast.walk(tree))
    own = {n.id: "a name" for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    for each in (n for n in nodes if isinstance(n, ast.arguments)):
        own |= {arg.arg: f"input {i}" for i, arg in enumerate([*each.args, *each.kwonlyargs])}
    found = collections.Counter()
    for node in nodes:
        found.update(of_node(node, own))
        for field in ("body", "orelse"):  # what stands in a block, so that a line left out or moved is seen
            block = getattr(node, field, None)
            if isinstance(block, list):
                found.update((type(node).__name__, field, i, brief(line, own)) for i, line in enumerate(block))
    return found


def of_node(node, own):
    """What one node of a tree adds to the count."""
    match node:
        case ast.BinOp() | ast.AugAssign():
            left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
            sign = f"{type(node).__name__} {type(node.op).__name__}"
            yield sign
            yield sign, brief(left, own), brief(right, own)
            if isinstance(node, ast.AugAssign) and isinstance(right, ast.BinOp):
                yield "adds", brief(left, own), *sorted((brief(right.left, own), brief(right.right, own)))
        case ast.Assign():
            yield "=", brief(node.targets[0], own)
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
    """A node in a word: what it is, with the names that are not the text's own."""
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
    """A constant as text: 0 and 0.0 are one."""
    return repr(int(value) if isinstance(value, float) and value.is_integer() else value)
