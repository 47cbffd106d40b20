"""The parts of a learner's engine, in the order in which they are put together, and engines built from them."""

import contextlib
import functools
import gc
import math
import operator
import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import autograd
from exercises.content import library
from exercises.engine_file.source import Document, parse
from exercises.sandbox.isolation import code_objects

PROVIDED = Path(__file__).with_name("given")
COURSE_CODE = "<the course's "  # the file name of its parts' code begins so
PACKAGE = str(Path(autograd.__file__).parent)


def sections(file):
    """Return {heading: its Lines} of a file in PROVIDED whose headings are lines such as `# add`."""
    found, of = {}, None
    for line in library.lines((PROVIDED / file).read_text(encoding="utf-8")):
        if line.code.startswith("# "):
            of = found.setdefault(line.code.removeprefix("# "), [])
        elif line.code:
            of.append(line)
    return found


WIRES = sections("wires.py")
OF_TEMPLATES = {  # given parts: their file, their names there, and the methods that exercises ask for
    "zeroing": ("my_engine.py", ("zero_grad",)),
    "tensor": ("my_tensor.py", ("Tensor", "as_tensor"), ("__mul__", "__matmul__", "sum", "__getitem__")),
    "softmax_cross_entropy": ("my_tensor.py", ("softmax_cross_entropy",)),
}


def of_template(file, names, without=()):
    """Return the text of some items of the course's own file, a class of nodes without some of its methods."""
    found = Document(
        [item for item in parse((PROVIDED / file).read_text(encoding="utf-8")).items if item.name in names]
    )
    for item, members in list(found.all()):
        if item.name.rpartition(".")[2] in without:
            members.remove(item)
    return found.to_source()


@dataclass(frozen=True)
class Part:
    """A part of the engine: an exercise's cell, or a given part, which the course has written.

    name: the exercise, or the given part's file. gives: the names that it adds to the engine, in the order in which
    the check takes them. replaces: the earlier parts whose place it takes. methods: those that go into `node`, Value or
    Tensor, if the cell defines a class; a function for each, under the names in `functions`, will do as well.
    """

    name: str
    lesson: str
    gives: tuple = ()
    replaces: tuple = ()
    methods: tuple = ()
    functions: tuple = ()
    node: str = "Value"

    @property
    def is_provided(self):
        """True if no exercise asks for it."""
        return self.name not in library.names()

    @functools.cached_property
    def lines(self):
        """The Lines of the course's text: the given part, or the exercise's solution."""
        if self.name in OF_TEMPLATES:
            return library.lines(of_template(*OF_TEMPLATES[self.name]))
        given = PROVIDED / f"{self.name}.py"
        return library.lines(given.read_text(encoding="utf-8")) if given.exists() else library.solution(self.name).lines

    @functools.cached_property
    def source(self):
        """The course's text."""
        return library.code(self.lines)

    @functools.cached_property
    def wires(self):
        """The lines that connect it to the engine; "" if it has none."""
        return "\n".join(line.code for line in WIRES.get(self.name, ()))

    @property
    def names(self):
        """The names of its answers in a cell; those of functions, if functions will do."""
        return self.functions or self.gives

    def as_class(self, answers):
        """Return these answers; if the part has methods and the answers are functions, a class with them as methods."""
        are_functions = all(callable(each) and not isinstance(each, type) for each in answers)
        if not (are_functions and len(answers) == len(self.methods)):
            return tuple(answers)
        return (type(self.gives[0], (), dict(zip(self.methods, answers))),)

    @functools.cached_property
    def code(self):
        """The course's text and the wires, compiled."""
        return compile(f"{self.source}\n{self.wires}", f"{COURSE_CODE}{self.name}>", "exec")


SUMS = "__add__", "__mul__"
PARTS = (
    Part("start", "00"),
    Part("make_value", "01", ("Number",)),
    Part("value", "00", ("Value",)),
    Part("sums", "00", ("reflected_add",)),
    Part("multiply", "01", ("as_value", "Product"), methods=("__mul__", "__rmul__")),
    Part("power", "00", ("power",)),
    Part("subtract", "04", ("subtract", "reflected_subtract")),
    Part("divide", "04", ("divide", "reflected_divide")),
    Part("first_rules", "00", ("Rules",), methods=SUMS),
    Part("rules", "02", ("Arithmetic",), methods=SUMS, functions=("add_with_rule", "multiply_with_rule")),
    Part("power_rule", "02", ("power_with_rule",)),
    Part("relu", "02", ("Relu",), methods=("relu",)),
    Part("functions", "02", ("Functions",), methods=("exp", "log", "tanh")),
    Part("sigmoid", "02", ("Sigmoid",), methods=("sigmoid",)),
    Part("topological_order", "04", ("inputs_first",)),
    Part("deep_order", "04", ("deep_order",), replaces=("topological_order",)),
    Part("first_backward", "00", ("backward",)),
    Part("backward", "04", ("backward",)),
    Part("zeroing", "05", ("zero_grad",)),
    Part("accumulate", "05", ("backward", "zero_grad"), replaces=("backward",)),
    Part("check_gradients", "04", ("check_gradients",)),
    Part("dual", "04", ("Dual",)),
    Part("neuron", "06", ("Neuron",)),
    Part("layer", "06", ("Layer",)),
    Part("mlp", "06", ("MLP",)),
    Part("cross_entropy", "06", ("cross_entropy",)),
    Part("train", "06", ("train",)),
    Part("clip", "07", ("clip",)),
    Part("unbroadcast", "08", ("unbroadcast",)),
    Part("matmul_vjps", "08", ("matmul_vjps",)),
    Part("sum_vjp", "08", ("sum_vjp",)),
    Part("rows_vjp", "08", ("rows_vjp",)),
    Part("tensor", "08", ("Tensor", "as_tensor")),
    Part("assemble", "08", ("array_multiply", "array_matmul", "array_sum", "array_rows")),
    Part("matmul", "08", ("MatrixProduct",), methods=("__matmul__",), node="Tensor"),
    Part("softmax", "09", ("softmax",)),
    Part("cross_entropy_gradient", "09", ("cross_entropy_gradient",)),
    Part("softmax_cross_entropy", "09", ("softmax_cross_entropy",)),
    Part("fit", "09", ("fit",)),
    Part("momentum_step", "09", ("momentum_step",)),
    Part("rows", "10", ("Rows",), methods=("__getitem__",), node="Tensor"),
    Part("softmax_vjp", "10", ("softmax_vjp",)),
    Part("normalise_vjp", "10", ("normalise_vjp",)),
)
BY_NAME = {part.name: part for part in PARTS}
EXERCISES = tuple(part for part in PARTS if not part.is_provided)
NODES = ("Value", "Tensor")  # the classes that wires put a learner's functions into
METHODS = tuple(dict.fromkeys(method for part in PARTS for method in part.methods))
NAMES = (
    *dict.fromkeys(name for part in PARTS if not part.methods for name in part.gives),
    "topological_order",
    "as_value",
)
NAMES += "add", "multiply"  # functions of lesson 02, in older cells
MODULES = {"math": math, "random": random, "gc": gc, "np": np}  # imported by the first cells of lessons
IMPORTS = {name: f"import {name}" for name in ("math", "random", "gc", "time")} | {"np": "import numpy as np"}
OPERATORS = {"add": "+", "multiply": "*", "power": "**"}  # what cells of lesson 02 may call
USABLE = (*NAMES, *MODULES)  # the names that a part may use
THE_COURSES = ("deep_order", "accumulate")  # replacing parts that the course's engine has
COURSE_MODULES = ("autograd", "figures", "exercises")


def engine_namespace(name, *given):
    """Return the names of a fresh engine with the course's parts before an exercise, and the `given` ones for its own.

    Without `given` that part, too, is the course's. From lesson 06 on, Value is the package's; from 08 on it is all
    about Tensors, and of the earlier parts only the order is there.
    """
    wanted, names = BY_NAME[name], {"__name__": "engine", "add": operator.add, "multiply": operator.mul} | MODULES
    lowest = next(lesson for lesson in ("08", "06", "00") if wanted.lesson >= lesson)
    if lowest != "00":
        names |= {"Value": autograd.Value, "topological_order": autograd.topological_order}
    for part in PARTS[: PARTS.index(wanted)]:
        if part.lesson >= lowest and (not part.replaces or part.name in THE_COURSES):
            exec(part.code, names)
    if given:
        install_answers(names, wanted, given)
    else:
        exec(wanted.code, names)
    return names


def install_answers(names, part, answers):
    """Put a learner's answers into an engine as a part; the methods of a class go into its node."""
    answers = part.as_class(answers)
    names |= dict(zip(part.gives, answers))
    if not part.methods:
        exec(part.wires, names)
    elif cls := next((each for each in answers if isinstance(each, type)), None):
        own, node = vars(cls), names[part.node]
        for name in [*(method for method in part.methods if method in own), *helpers(cls, node)]:
            setattr(node, name, own[name])


def helpers(cls, node):
    """Return what a class defines besides the required methods, and that neither node nor other parts have."""
    return [name for name in vars(cls) if not (re.fullmatch("__.+__", name) or name in METHODS or hasattr(node, name))]


def value_class(name):
    """Return the Value of a fresh engine of the course, after an exercise."""
    return engine_namespace(name)["Value"]


@contextlib.contextmanager
def bound_globals(things, names):
    """Bind an engine's names within the block, wherever these objects from a learner look them up.

    Names that the cell of an object defines itself stay unchanged; only `Value` and `Tensor` always mean the engine's.
    """
    changed = []
    for thing in things:
        for code, globals_ in code_objects(thing):
            if any(globals_ is known for known, *_ in changed) or is_module_namespace(globals_):
                continue
            kept = {name for name in NAMES if name not in NODES and is_defined_there(globals_.get(name), code)}
            swapped = {name: names[name] for name in NAMES if name in names and name not in kept}
            changed.append((globals_, swapped, {name: globals_[name] for name in swapped if name in globals_}))
            globals_.update(swapped)
    try:
        yield
    finally:
        for globals_, swapped, before in changed:
            for name in swapped:
                globals_.pop(name, None)
            globals_.update(before)


def is_defined_there(thing, code):
    """Return whether an object comes from where this code was, or from another library: `numbers.Number`, say."""
    module = getattr(thing, "__module__", None)
    known = isinstance(module, str) and module in sys.modules
    if known and not module.startswith(("__main__", "builtins", *COURSE_MODULES)):
        return True
    return any(inner.co_filename == code.co_filename for inner, _ in code_objects(thing))


def is_from_course(thing):
    """Return whether all code of an object is in the course's engine or in its package."""
    files = [code.co_filename for code, _ in code_objects(thing)]
    return bool(files) and all(file.startswith((COURSE_CODE, PACKAGE)) for file in files)


def is_module_namespace(globals_):
    """Return whether these are the globals of an imported module, not of a notebook or a learner's file."""
    name = globals_.get("__name__")
    module = sys.modules.get(name) if isinstance(name, str) and name != "__main__" else None
    return module is not None and vars(module) is globals_
