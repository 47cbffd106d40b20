"""Load an unknown file without running its work: only imports, classes, functions and plain assignments.

This runs in its own process. Packages other than NumPy are replaced by stand-ins, so nothing has to be installed.
"""

import __future__

import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import json
import re
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path

REAL = {"numpy", "exercises"}  # packages that are imported; all others, except the file's own, are stand-ins
PURE = {"TypeVar", "Union", "namedtuple", "property", "staticmethod", "classmethod", "float", "int", "set", "dict"}
PURE |= {"list", "tuple", "str", "NewType", "frozenset", "partialmethod", "count", "itemgetter", "defaultdict"}
MAGIC = re.compile(r"\s*[%!?]|.*\?$")  # lines that only IPython understands


@dataclass
class Loaded:
    """A loaded file: its module, and what was left out."""

    module: types.ModuleType
    root: Path
    is_whole: bool = False
    stand_ins: list = field(default_factory=list)
    failed: list = field(default_factory=list)


class StandIn(types.ModuleType):
    """A package that is not imported: each of its attributes is a class that takes and returns anything."""

    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        setattr(self, name, type(name, (Anything,), {}))
        return self.__dict__[name]


class AnyClass(type):
    """The class of stand-in classes: they have every attribute."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


class Anything(metaclass=AnyClass):
    """An object that can be called, entered and iterated over, and does nothing; as a decorator it changes nothing."""

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return args[0] if len(args) == 1 and callable(args[0]) else Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __iter__(self):
        return iter(())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the file's own modules first, then the standard library and NumPy; the rest are stand-ins."""

    def __init__(self, loaded):
        self.loaded = loaded

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in REAL:
            return None
        for folder in map(str, sys.path if path is None else path):
            if Path(folder).resolve().is_relative_to(self.loaded.root):
                spec = importlib.machinery.PathFinder.find_spec(name, [folder])
                if spec is not None and (spec.origin or spec.submodule_search_locations):
                    if spec.origin and spec.origin.endswith(".py"):
                        spec.loader = Skeleton(spec.origin, self.loaded)
                    return spec
        if top in sys.stdlib_module_names or (self.loaded.is_whole and importlib.machinery.PathFinder.find_spec(top)):
            return None
        if top not in self.loaded.stand_ins:
            self.loaded.stand_ins.append(top)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        """Leave a stand-in empty."""


class Skeleton(importlib.abc.Loader):
    """Loads a module next to the file in the same way as the file."""

    def __init__(self, origin, loaded):
        self.origin, self.loaded = origin, loaded

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        text = Path(self.origin).read_text(encoding="utf-8", errors="replace")
        run_definitions(module.__dict__, [(self.origin, text)], self.loaded)


def load(path, is_whole=False):
    """Return the Loaded of a .py or .ipynb file; raise SyntaxError if this version of Python cannot read it.

    is_whole: whether to run all of it, with the packages that are installed.
    """
    path = Path(path).resolve()
    texts = list(texts_of(path))
    relative = [n.level for _, text in texts for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom)]
    root, depth = path.parent, max([0, *relative])
    while (root / "__init__.py").exists() or depth > 0:
        root, depth = root.parent, depth - 1
    package = ".".join(path.parent.relative_to(root).parts)
    name = ".".join(filter(None, [package, re.sub(r"\W", "_", path.stem)]))
    module = types.ModuleType(name)
    module.__file__, module.__package__ = str(path), package
    loaded = Loaded(module, root, is_whole)
    sys.path[:0] = list(dict.fromkeys([str(path.parent), str(root)]))
    sys.meta_path.insert(0, Finder(loaded))
    if package:
        with contextlib.suppress(Exception):
            importlib.import_module(package)
    sys.modules[name] = module
    if path.suffix == ".ipynb":
        module.__dict__.update(get_ipython=Anything, display=Anything())
    run_definitions(module.__dict__, texts, loaded)
    return loaded


def texts_of(path):
    """Yield (name, text) of a file, or of each notebook cell that is Python."""
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    if path.suffix != ".ipynb":
        ast.parse(text)
        yield path.name, text
        return
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        lines = "".join(cell["source"]).splitlines()
        code = "\n".join("" if MAGIC.match(line) else line for line in lines)
        with contextlib.suppress(SyntaxError):
            ast.parse(code)
            yield f"code cell {number}", code


def run_definitions(names, texts, loaded):
    """Run the statements of some texts that define something; note those that fail, and go on."""
    for file, text in texts:
        tree = ast.parse(text)
        flags = __future__.annotations.compiler_flag  # a class may name itself in its annotations
        for node in tree.body if loaded.is_whole else kept(tree.body):
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                continue
            try:
                exec(compile(ast.Module([node], []), file, "exec", flags, True), names)
            except (Exception, SystemExit) as fault:
                loaded.failed.append(f"line {node.lineno} of {Path(file).name}: {type(fault).__name__}: {fault}"[:150])


def kept(body):
    """Yield the statements that define something: no loops, calls or plots."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef):
            yield node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            if node.value is not None and calls_nothing(node.value):
                yield node
        elif isinstance(node, ast.If) and "__main__" not in ast.dump(node.test):
            yield from kept(node.body)
            yield from kept(node.orelse)
        elif isinstance(node, ast.Try):
            yield from kept(node.body)


def calls_nothing(value):
    """Return whether an expression calls nothing that might take long; a lambda's body does not run."""
    if isinstance(value, ast.Lambda):
        return True
    if isinstance(value, ast.Call):
        name = getattr(value.func, "id", getattr(value.func, "attr", ""))
        return name in PURE and all(map(calls_nothing, value.args))
    return all(map(calls_nothing, ast.iter_child_nodes(value)))
