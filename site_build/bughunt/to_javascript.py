"""Translate an engine to JavaScript: each statement of its module becomes a function of `F`, the module's names.

A wrong engine is the right one with some of these statements replaced. Only what the engines use is translated;
anything else raises a SyntaxError with its text. If JavaScript differs from Python (operators on objects, truth,
`in`, classes), a function of `browser/python.js` does what Python does.
"""

import ast
import json

OPERATORS = {ast.Add: "plus", ast.Sub: "minus", ast.Mult: "times", ast.Div: "divided", ast.Pow: "power"}
COMPARED = {ast.Eq: "===", ast.NotEq: "!==", ast.Is: "===", ast.IsNot: "!=="}
COMPARED |= {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<="}
METHODS = {"append": "push", "add": "add", "pop": "pop"}
BUILTINS = {"max": "Math.max", "float": "Number", "list": "listOf", "iter": "iter", "reversed": "reversed"}
RESERVED = {"in", "new", "var", "function", "default", "this", "typeof", "delete", "let", "const", "switch", "case"}


def program(text):
    """Return the statements of a module as JavaScript functions of F, in their order."""
    return Translator(text).statements()


def changes(right, text):
    """Return {place: statement} of an engine's text where it differs from the statements of the right one."""
    made = program(text)
    if len(made) != len(right):
        raise SyntaxError(f"the right engine has {len(right)} statements and this one has {len(made)}")
    return {i: ours for i, (ours, theirs) in enumerate(zip(made, right)) if ours != theirs}


def script(right, wrong):
    """Return the right text, and those of {id: text}, as the constants PROGRAM and CHANGES."""
    base = program(right)
    parts = (
        f"{id}:{{{','.join(f'{i}:{code}' for i, code in changes(base, text).items())}}}" for id, text in wrong.items()
    )
    return f"const PROGRAM=[{','.join(base)}];\nconst CHANGES={{{','.join(parts)}}};\n"


def stored(node):
    """Return the names that a statement stores to, ignoring those inside functions and comprehensions."""
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    if isinstance(node, ast.Lambda | ast.ListComp | ast.GeneratorExp):
        return set()
    own = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else set()
    return own.union(*map(stored, ast.iter_child_nodes(node)))


def name_of(name):
    """Return a Python name as one that JavaScript allows."""
    return f"{name}_" if name in RESERVED else name


class Translator:
    """Translates one module."""

    def __init__(self, text):
        self.body = ast.parse(text).body
        self.classes = {node.name: [base.id for base in node.bases] for node in self.body if is_class(node)}
        self.functions = {n.name: [a.arg for a in n.args.args] for n in self.body if isinstance(n, ast.FunctionDef)}
        self.names = {*self.classes, *self.functions}.union(*map(stored, self.body))
        self.local, self.loops, self.base = [], [], None

    def statements(self):
        """Return the module's statements; a class is one, and each of its methods another."""
        return [f"F=>{{{code}}}" for node in self.body for code in self.at_the_top(node)]

    def at_the_top(self, node):
        if is_class(node):
            self.base = next(iter(self.classes[node.name]), None)
            yield f"F.{node.name}=define({f'F.{self.base}' if self.base else ''})"
            for each in node.body:
                if isinstance(each, ast.FunctionDef):
                    if each.name != "__repr__":
                        yield f'put(F.{node.name},"{each.name}",{self.function(each)})'
                elif not is_docstring(each) and "object.__eq__" not in ast.unparse(each):
                    raise SyntaxError(f"no JavaScript for {ast.unparse(each)!r} in a class")
        elif isinstance(node, ast.FunctionDef):
            yield f"F.{node.name}={self.function(node)}"
        elif not is_docstring(node):
            yield self.statement(node)

    def function(self, node):
        """Return a function or a lambda as an arrow function."""
        names, defaults = [a.arg for a in node.args.args], node.args.defaults
        parts = list(map(name_of, names))
        for i, default in enumerate(defaults, start=len(names) - len(defaults)):
            parts[i] += f"={self.value(default)}"
        is_lambda = isinstance(node, ast.Lambda)
        own = set() if is_lambda else set().union(*map(stored, node.body)) - set(names)
        self.local.append({*names, *own})
        if is_lambda:
            body = f"({self.value(node.body)})"
        else:
            names = ",".join(sorted(map(name_of, own)))
            body = f"{{{f'let {names};' if own else ''}{self.block(node.body)}}}"
        self.local.pop()
        return f"({','.join(parts)})=>{body}"

    def block(self, nodes):
        return "".join(map(self.statement, nodes))

    def statement(self, node):
        match node:
            case ast.Expr(ast.Constant()) | ast.Pass():
                return ""
            case ast.Expr(value):
                return f"{self.value(value)};"
            case ast.Return(value):
                return f"return {self.value(value) if value else 'null'};"
            case ast.FunctionDef(name):
                return f"{name_of(name)}={self.function(node)};"
            case ast.Assign(targets, value):
                return "".join(self.assignment(target, value) for target in targets)
            case ast.AugAssign(target, ast.Add(), value):
                return f"{self.value(target)}=added({self.value(target)},{self.value(value)});"
            case ast.If(test, body, orelse):
                other = f"else{{{self.block(orelse)}}}" if orelse else ""
                return f"if({self.truth(test)}){{{self.block(body)}}}{other}"
            case ast.While(test, body, []):
                return f"while({self.truth(test)}){{{self.inside(body)}}}"
            case ast.For(ast.Name(name), source, body, []):
                return f"for({name_of(name)} of {self.value(source)}){{{self.inside(body)}}}"
            case ast.For(ast.Name(name), source, body, orelse):
                flag = f"ended{len(self.loops)}"
                loop = f"for({name_of(name)} of {self.value(source)}){{{self.inside(body, flag)}}}"
                return f"{{let {flag}=true;{loop}if({flag}){{{self.block(orelse)}}}}}"
            case ast.Break():
                return f"{self.loops[-1]}=false;break;" if self.loops[-1] else "break;"
        raise SyntaxError(f"no JavaScript for {ast.unparse(node)!r}")

    def inside(self, body, flag=None):
        """Return the body of a loop. flag: a variable that a `break` sets to false."""
        self.loops.append(flag)
        code = self.block(body)
        self.loops.pop()
        return code

    def assignment(self, target, value):
        match target, value:
            case ast.Tuple(targets), ast.Tuple(values):  # evaluate the whole right side first
                each = "".join(self.store(one, f"v[{i}]") for i, one in enumerate(targets))
                return f"{{const v=[{self.join_values(values)}];{each}}}"
            case ast.Tuple(targets), _:
                return f"[{self.join_values(targets)}]={self.value(value)};"
        return self.store(target, self.value(value))

    def store(self, target, code):
        """Return an assignment; one to an attribute of a class makes a method."""
        match target:
            case ast.Attribute(ast.Name(owner), name) if owner in self.classes:
                return f'put(F.{owner},"{name}",{code});'
        return f"{self.value(target)}={code};"

    def truth(self, node):
        """Return a test. Comparisons give a bool in both languages; for a list, Python tests if it is empty."""
        is_bool = isinstance(node, ast.Compare | ast.UnaryOp)
        return self.value(node) if is_bool else f"truth({self.value(node)})"

    def join_values(self, nodes):
        return ",".join(map(self.value, nodes))

    def value(self, node):
        v = self.value
        match node:
            case ast.Constant(x):
                return json.dumps(x)
            case ast.JoinedStr(parts):
                return f"[{self.join_values(parts)}].join('')"
            case ast.FormattedValue(value):
                return v(value)
            case ast.Name(name):
                is_local = any(name in names for names in self.local)
                return f"F.{name}" if name in self.names and not is_local else name_of(name)
            case ast.Attribute(ast.Name("math"), name):
                return f"Math.{name}"
            case ast.Attribute(value, name):
                return f"{v(value)}.{name}"
            case ast.Lambda():
                return f"({self.function(node)})"
            case ast.IfExp(test, body, orelse):
                return f"({self.truth(test)}?{v(body)}:{v(orelse)})"
            case ast.UnaryOp(ast.USub(), value):
                return f"(-{v(value)})"
            case ast.UnaryOp(ast.Not(), value):
                return f"(!{self.truth(value)})"
            case ast.BinOp(left, op, right):
                return f"{OPERATORS[type(op)]}({v(left)},{v(right)})"
            case ast.Compare(left, [ast.In() | ast.NotIn() as op], [right]):
                return f"{'!' * isinstance(op, ast.NotIn)}has({v(right)},{v(left)})"
            case ast.Compare(left, [op], [right]):
                return f"({v(left)}{COMPARED[type(op)]}{v(right)})"
            case ast.Tuple(values) | ast.List(values):
                return f"[{self.join_values(values)}]"
            case ast.Set(values):
                return f"new Set([{self.join_values(values)}])"
            case ast.ListComp(made, [ast.comprehension(ast.Name(name), source, tests)]):
                code = f"[...{v(source)}]"
                self.local.append({name})
                code += "".join(f".filter({name_of(name)}=>{self.truth(test)})" for test in tests)
                code += f".map({name_of(name)}=>{v(made)})"
                self.local.pop()
                return code
            case ast.Subscript(value, ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1)))):
                return f"reversed({v(value)})"
            case ast.Subscript(value, ast.Slice(lower, upper, None)):
                return f"{v(value)}.slice({v(lower) if lower else 0}{f',{v(upper)}' if upper else ''})"
            case ast.Subscript(value, index):
                return f"{v(value)}.at({v(index)})"
            case ast.Call():
                return self.call(node)
        raise SyntaxError(f"no JavaScript for {ast.unparse(node)!r}")

    def call(self, node):
        v, args = self.value, self.join_values(node.args)
        match node.func:
            case ast.Name("isinstance"):
                return f"({v(node.args[0])} instanceof {v(node.args[1])})"
            case ast.Name("type"):
                return f"{args}.constructor"
            case ast.Call(ast.Name("type")) as kind:
                return f"new ({v(kind)})({args})"
            case ast.Attribute(ast.Name("dict"), "fromkeys"):
                return f"new Set({args})"
            case ast.Name(name) if name in self.classes:
                return f"new F.{name}({args})"
            case ast.Name(name) if name in BUILTINS and name not in self.names:
                return f"{BUILTINS[name]}({args})"
            case ast.Attribute(ast.Call(ast.Name("super")), name):
                return f"F.{self.base}.{name}({','.join(filter(None, ('self', args)))})"
            case ast.Attribute(thing, "extend"):
                return f"{v(thing)}.push(...{args})"
            case ast.Attribute(thing, name) if name in METHODS:
                return f"{v(thing)}.{METHODS[name]}({args})"
            case ast.Name(name) if node.keywords:  # by their positions in the function's signature
                places = self.functions[name]
                given = [*map(v, node.args), *["undefined"] * (len(places) - len(node.args))]
                for keyword in node.keywords:
                    given[places.index(keyword.arg)] = v(keyword.value)
                return f"{v(node.func)}({','.join(given)})"
        return f"{v(node.func)}({args})"


def is_class(node):
    return isinstance(node, ast.ClassDef)


def is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
