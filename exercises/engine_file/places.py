"""The places of a learner's engine: what stands in which file, from which lesson on, and for which exercise."""

import functools

from exercises.engine_file import cells
from exercises.engine_file.parts import BY_NAME, GIVEN, IMPORTS, PARTS
from exercises.engine_file.source import IMPORT, MAIN, parse

FILE, TENSOR_FILE = FILES = ("my_engine.py", "my_tensor.py")
FUNCTIONS = ("Value.relu", "Value.exp", "Value.log", "Value.tanh", "Value.sigmoid")
FIRST = {  # the lessons from which on the files have what no exercise asks for, or asks for later
    **dict.fromkeys(("Value.__init__", "Value.__repr__", "Value.__add__", "Value.__mul__"), "02"),
    **dict.fromkeys(("Value.__pow__", "Value.__neg__"), "02"),
    **dict.fromkeys(FUNCTIONS, "03"),
    **dict.fromkeys(("Tensor.T", "Tensor.softmax", "Tensor.normalise"), "15"),
    "softmax_cross_entropy": "12",
}
MAINS = {FILE: "09", TENSOR_FILE: "12"}  # and the lines that each of them runs alone
COVERED = {"add": "Value.__add__", "multiply": "Value.__mul__"}  # functions of lesson 02, and what takes their place
BRIDGES = {  # the learner's functions without a rule, and the course's methods that make use of them
    "add": ("Value.__add__",),
    "multiply": ("Value.__mul__",),
    "local_derivative": ("Value.__pow__", *FUNCTIONS, "one_input"),
}
SUMS = ("Value.__add__", "Value.__mul__")
PLACES = {  # where an exercise's answers go in the files, if they have other names there
    "make_value": ("Value.__init__", "Value.__repr__"),
    "add": ("add",),
    "multiply": ("multiply",),
    "constants": ("as_value", "Value.__radd__", "Value.__rmul__"),
    "subtract": ("Value.__sub__", "Value.__rsub__"),
    "divide": ("Value.__truediv__", "Value.__rtruediv__"),
    "add_rule": SUMS[:1],
    "multiply_rule": SUMS[1:],
    "rules": SUMS,
    "relu": FUNCTIONS[:1],
    "functions": FUNCTIONS[1:4],
    "sigmoid": FUNCTIONS[4:],
    "collect": SUMS,
    "topological_order": ("topological_order",),
    "deep_order": ("topological_order",),
    "backward": ("Value.backward",),
    "accumulate": ("Value.backward", "zero_grad"),
    "assemble": ("Tensor.__mul__", "Tensor.__matmul__", "Tensor.sum", "Tensor.__getitem__"),
    "local_derivatives": ("local_derivative",),
}
CLASSES = ("Number", "Sum", "Product", "Arithmetic", "Relu", "Functions", "Sigmoid", "Collecting")  # answers' names
OLD_NAMES = {  # what they mean where other code uses them
    **{
        name: slot
        for part in PARTS
        for name, slot in zip(part.names, PLACES.get(part.name, part.names))
        if name != slot
    },
    **{"add": SUMS[0], "multiply": SUMS[1], "power": "Value.__pow__", "backward": "Value.backward"},
    **dict.fromkeys(CLASSES, "Value"),
}


@functools.cache
def template(file):
    """Return the Document of the course's own text of a file."""
    return parse((GIVEN / file).read_text(encoding="utf-8"))


@functools.cache
def order(file):
    """Return {name: its place} of the items of a file, classes of nodes among them."""
    names = [name for item in template(file).items for name in (item.name, *(each.name for each in item.members))]
    return {name: i for i, name in enumerate(names) if name}


@functools.cache
def first_lesson(file, name):
    """Return the lesson from which on an item is in its file."""
    asking = [part.lesson for part in PARTS if name in slots_of(part.name)]
    return MAINS[file] if name == MAIN else FIRST.get(name) or min(asking, default="11")


@functools.cache
def imports():
    """Return {name: the line that imports it} of what the files may import."""
    lines = [item.text for file in FILES for item in template(file).items if item.name == IMPORT]
    return {**IMPORTS, **{cells.names_of(line)[0]: line for line in lines}}


def slots_of(exercise):
    """Return the names of the items that an exercise fills in my_engine.py or my_tensor.py."""
    return PLACES.get(exercise) or BY_NAME[exercise].gives


def file_of(name):
    """Return the file that an exercise or a place of the engine belongs to."""
    part = BY_NAME.get(name) or next((part for part in PARTS if name in slots_of(part.name)), None)
    if part is None:
        return TENSOR_FILE if name in order(TENSOR_FILE) and name not in order(FILE) else FILE
    return TENSOR_FILE if part.lesson in ("11", "12", "15") else FILE
