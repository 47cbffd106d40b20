"""Extra mutations for benchmarks.mutants: code that is right only for the inputs that a test happens to use.

They are not among `exercises.explaining.mutations`, which explain a learner's answer: few people write them by mistake.
"""

import ast

SIZES = (1, 2, 3)
CASTS = "int({})", "round({})", "round({}, 3)", "max({}, 0)", "min({}, 1)"
ARRAY_CASTS = "np.asarray({}).astype(int)", "np.float32({})", "np.round({}, 3)", "np.minimum({}, 1)"
COUNTS = ("n", "m", "k", "depth", "fan_in", "every", "rows", "rounds", "epochs", "batch", "steps", "layers", "n_inputs")
COUNTS += ("n_outputs", "size", "sizes")
WHOLE = ast.BinOp | ast.Add | ast.Sub | ast.Mult | ast.Load | ast.Constant
PLACES = ("targets", "labels", "rows")  # whole numbers in an array
SMALL = ("lr", "epsilon", "keep")  # numbers above 0 that are never large
ITERATED = ("len", "enumerate", "zip", "reversed", "sum", "list", "set", "sorted")
DRAWN = ("rng", "random", "generator")  # what random numbers come from


def more(node, tree):
    """Yield (words, a function that changes such a node in place) for each of these slips at this node."""
    for kinds, slips_of in MORE.items():
        if isinstance(node, kinds):
            for words, code in slips_of(node, tree):
                yield words, becomes(code)


def becomes(code):
    """Return a function that turns a node into the node of a text, or a statement into several."""

    def change(node):
        new = ast.parse(code, mode="exec").body
        made = new[0].value if isinstance(node, ast.expr) else new[0] if len(new) == 1 else several(new)
        node.__class__ = type(made)
        vars(node).clear()
        vars(node).update(vars(made))

    return change


def several(statements):
    """Return one statement that runs several."""
    return ast.If(ast.Constant(True), statements, [])


def to_source(node):
    """Return a node's text, in brackets."""
    return f"({ast.unparse(node)})"


def casts(tree):
    """Return the casts that can run in a text."""
    return CASTS + (ARRAY_CASTS if any(isinstance(n, ast.Name) and n.id == "np" for n in ast.walk(tree)) else ())


def values(node, tree):
    """Yield a value cast, rounded, or kept between limits."""
    value = node.value
    if value is None or isinstance(value, ast.Constant | ast.Lambda | ast.Dict | ast.List | ast.Tuple | ast.Compare):
        return
    whole = to_source(node)[1:-1]
    start = whole.removesuffix(ast.unparse(value))
    if all(isinstance(part, WHOLE) or getattr(part, "id", None) in COUNTS for part in ast.walk(value)):
        return  # a count: casts leave it unchanged
    for cast in casts(tree):
        yield f"a value in {cast}", start + cast.format(to_source(value))
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
        if isinstance(value, ast.BinOp) and isinstance(value.left, ast.Name):
            signs = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
            if sign := signs.get(type(value.op)):
                yield "in place", f"{name} = {value.left.id}\n{name} {sign}= {ast.unparse(value.right)}"


def appended(node, tree):
    """Yield the best so far in a list."""
    call = node.value
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append":
        things, item = ast.unparse(call.func.value), to_source(call.args[0])
        yield "the best so far", f"{things}.append(min([{item}, *{things}]))"


def parameters(node, tree):
    """Yield changes of an argument before all else, if it is a number, has items, or has a default."""
    args = [arg.arg for arg in (*node.args.args, *node.args.kwonlyargs) if arg.arg != "self"]
    defaults = dict(zip([arg.arg for arg in node.args.args][::-1], node.args.defaults[::-1]))
    used = {name: how_used(name, node) for name in args}
    for name in args:
        default, before = defaults.get(name), []
        if name in COUNTS and "object" not in used[name]:
            before += [f"{name} = min({name}, 10)"]
        elif name not in PLACES and not used[name] and not is_falsy(default):
            before += [f"{name} = {cast.format(name)}" for cast in casts(tree) if name not in SMALL or "round" in cast]
        if not used[name] and name not in (*COUNTS, *SMALL) and not is_falsy(default):
            before += [f"{name} = {name} or {ast.unparse(default) if default else 1}"]
        if "items" in used[name]:
            before += [f"{name} = {name}[:{size}]" for size in SIZES] + [f"{name} = {name}[:-1]"]
        before += [f"{name} = {ast.unparse(default)}"] if default else []
        for line in before:
            yield line, f"def {node.name}({ast.unparse(node.args)}):\n    {line}\n{indented(node.body)}"


def how_used(name, function):
    """Return what a function needs from an argument: "object" if it calls it or reads attributes, "items" in a loop."""
    found = set()
    for node in ast.walk(function):
        for field, kind in (("func", "object"), ("value", "object"), ("iter", "items"), ("args", "items")):
            part = getattr(node, field, None)
            if field == "value" and isinstance(node, ast.Subscript):
                kind = "items"
            elif field == "value" and not isinstance(node, ast.Attribute):
                continue
            if field == "args" and not (isinstance(node, ast.Call) and ast.unparse(node.func) in ITERATED):
                continue
            parts_of = part if isinstance(part, list) else [part]
            if any(isinstance(each, ast.Name) and each.id == name for each in parts_of):
                found.add(kind)
    return found


def is_falsy(default):
    """Return whether a default is None, False or 0: `or` has no effect on it, and a cast none on a flag."""
    return isinstance(default, ast.Constant) and not default.value


def calls(node, tree):
    """Yield fixed sizes, cut ranges, missing copies, other dtypes."""
    name, args = ast.unparse(node.func), [ast.unparse(arg) for arg in node.args]
    others = []
    if name in ("len", "range", "np.eye", "np.arange"):
        others += [str(size) if name == "len" else f"{name}({size})" for size in SIZES]
    if name in ("range", "np.arange"):
        first, last, *step = args if len(args) > 1 else ("0", *args)
        ends = (first, f"{last} - 1"), (first, f"{last} + 1"), (f"{first} + 1", last), (first, f"min({last}, 10)")
        others += [f"{name}({', '.join([*end, *step])})" for end in ends]
    if name in ("list", "tuple", "np.array", "np.copy", "copy.copy") and args:
        others += [args[0]]
    if name in ("max", "min", "np.maximum", "np.minimum") and len(args) == 2:
        others += args
    if name in ("np.zeros", "np.ones", "np.zeros_like", "np.ones_like", "np.array", "np.empty") and not node.keywords:
        others += [f"{name}({', '.join(args)}, dtype={kind})" for kind in ("int", "np.float32")]
    if isinstance(node.func, ast.Attribute) and node.func.attr == "copy" and not args:
        others += [ast.unparse(node.func.value)]
    if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in DRAWN:
        others += [f"np.random.{node.func.attr}({', '.join([*args, *map(ast.unparse, node.keywords)])})"]
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("permutation", "shuffle"):
        others += [f"np.arange({', '.join(args)})"]
    yield from ((f"`{other}` for `{ast.unparse(node)}`", other) for other in others)


def loops(node, tree):
    """Yield a loop over the first few, over all but the last, over every other one, or one that ends after a round."""
    head, over = f"for {ast.unparse(node.target)} in ", to_source(node.iter)
    body = indented(node.body)
    other = f"\nelse:\n{indented(node.orelse)}" if node.orelse else ""
    for cut in (*(f":{size}" for size in SIZES), ":-1", "::2"):
        yield f"a loop over [{cut}]", f"{head}list({over})[{cut}]:\n{body}{other}"
    for line in node.body:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            name, new = line.targets[0].id, f"new := {to_source(line.value)}"
            for best in ("min", "max"):  # of all so far
                kept = f"{name} = {best}(({new}), locals().get({name!r}, new))"
                yield "the best so far", f"{head}{over}:\n{body.replace(ast.unparse(line), kept, 1)}{other}"
    yield "one round", f"{head}{over}:\n{body}\n    break{other}"


def indented(lines):
    """Return statements as an indented body."""
    return "\n".join("    " + each for line in lines for each in ast.unparse(line).splitlines())


def comprehensions(node, tree):
    """Yield a comprehension over the first few, or over all but the last."""
    first = node.generators[0]
    start = ast.unparse(node)
    for cut in (*(f":{size}" for size in SIZES), ":-1"):
        old = f" in {ast.unparse(first.iter)}"
        yield f"a comprehension over [{cut}]", start.replace(old, f" in list({to_source(first.iter)})[{cut}]", 1)


def comparisons(node, tree):
    """Yield `is` for `==`, and the other way round."""
    pairs = {ast.Eq: "is", ast.NotEq: "is not", ast.Is: "==", ast.IsNot: "!="}
    if isinstance(node.left, ast.Constant) or any(isinstance(other, ast.Constant) for other in node.comparators):
        return  # how Python compares these is not the solution's concern
    if len(node.ops) == 1 and (sign := pairs.get(type(node.ops[0]))):
        yield f"`{sign}`", f"{to_source(node.left)} {sign} {to_source(node.comparators[0])}"
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):  # told apart by equality, number or name
        sign = "in" if isinstance(node.ops[0], ast.In) else "not in"
        yield "in a list", f"{to_source(node.left)} {sign} list({to_source(node.comparators[0])})[:3]"


def parts(node, tree):
    """Yield a fixed place or slice."""
    if not isinstance(node.ctx, ast.Load):
        return
    things = ast.unparse(node.value)
    if isinstance(node.slice, ast.Slice):
        yield "a view of all", things
        for size in SIZES:
            yield "a slice of a fixed size", f"{things}[:{size}]"
            yield "a slice of a fixed size", f"{things}[-{size}:]"
    elif not isinstance(node.slice, ast.Constant):
        yield from (("a fixed place", f"{things}[{i}]") for i in (0, 1, 2, -1))
    elif things.endswith(".shape"):
        yield from (("a fixed size", str(size)) for size in SIZES)


def attributes(node, tree):
    """Yield code that treats 0 as nothing."""
    if isinstance(node.ctx, ast.Load) and node.attr in ("data", "grad", "value", "derivative", "version"):
        yield "0 taken for nothing", f"({ast.unparse(node)} or 1.0)"
        yield "cast", f"int({ast.unparse(node)})"


MORE = {
    (ast.Return, ast.Assign, ast.AugAssign): values,
    ast.Expr: appended,
    ast.FunctionDef: parameters,
    ast.Call: calls,
    ast.For: loops,
    (ast.ListComp, ast.GeneratorExp, ast.SetComp): comprehensions,
    ast.Compare: comparisons,
    ast.Subscript: parts,
    ast.Attribute: attributes,
}
