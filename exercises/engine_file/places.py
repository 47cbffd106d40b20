"""The places of a learner's engine: what is in which file, from which lesson on, and for which exercise."""

import functools

from exercises.engine_file import cells
from exercises.engine_file.parts import BY_NAME, IMPORTS, PARTS, PROVIDED
from exercises.engine_file.source import IMPORT, MAIN, parse

FILE, TENSOR_FILE = FILES = ("my_engine.py", "my_tensor.py")
FUNCTIONS = ("Value.relu", "Value.exp", "Value.log", "Value.tanh", "Value.sigmoid")
FIRST = {  # the first lessons of parts that no exercise asks for, or only later
    **dict.fromkeys(("Value.__init__", "Value.__repr__", "Value.__add__", "Value.__mul__"), "00"),
    **dict.fromkeys(("Value.__pow__", "Value.__neg__", "Value.__radd__", "Value.__sub__", "Value.__rsub__"), "00"),
    **dict.fromkeys(("Value.__truediv__", "Value.__rtruediv__", "Value.__rmul__", "topological_order"), "00"),
    **dict.fromkeys(FUNCTIONS, "02"),
    **dict.fromkeys(("Tensor.T", "Tensor.softmax", "Tensor.normalise"), "10"),
    "softmax_cross_entropy": "09",
}
MAINS = {FILE: "06", TENSOR_FILE: "09"}  # and the lines that each file runs as a script
COVERED = {"add": "Value.__add__", "multiply": "Value.__mul__"}  # {a function of lesson 02: its successor}
BRIDGES = {  # {a learner's function without a rule: the course's methods that use it}
    "add": ("Value.__add__",),
    "multiply": ("Value.__mul__",),
    "local_derivative": ("Value.__pow__", *FUNCTIONS, "one_input"),
}
SUMS = ("Value.__add__", "Value.__mul__")
PLACES = {  # the places of an exercise's answers in the files, if renamed there
    "make_value": ("Value.__init__", "Value.__repr__"),
    "add": ("add",),
    "multiply": ("Value.__rmul__", "as_value"),  # its __mul__ has no rule: that of 00 stays
    "product": ("multiply",),  # the function that `multiply` asked for in older files
    "constants": ("as_value", "Value.__radd__", "Value.__rmul__"),
    "subtract": ("Value.__sub__", "Value.__rsub__"),
    "divide": ("Value.__truediv__", "Value.__rtruediv__"),
    "add_rule": SUMS[:1],
    "multiply_rule": SUMS[1:],
    "first_rules": SUMS,
    "rules": SUMS,
    "relu": FUNCTIONS[:1],
    "functions": FUNCTIONS[1:4],
    "sigmoid": FUNCTIONS[4:],
    "collect": SUMS,
    "topological_order": ("topological_order",),
    "deep_order": ("topological_order",),
    "first_backward": ("Value.backward",),
    "backward": ("Value.backward",),
    "accumulate": ("Value.backward", "zero_grad"),
    "assemble": ("Tensor.__mul__", "Tensor.__matmul__", "Tensor.sum", "Tensor.__getitem__"),
    "matmul": ("Tensor.__matmul__",),
    "rows": ("Tensor.__getitem__",),
    "local_derivatives": ("local_derivative",),
}
EARLIER_NAMES = {  # exercises of an earlier edition, and the names that their answers have in a cell
    "add": ("add",),
    "product": ("multiply",),
    "constants": ("as_value", "reflected_add", "reflected_multiply"),
    "add_rule": ("add_with_rule",),
    "multiply_rule": ("multiply_with_rule",),
    "local_derivatives": ("local_derivative",),
    "collect": ("collecting_add", "collecting_multiply"),
}
TENSORS = ("MatrixProduct", "Rows")
CLASSES = ("Number", "Sum", "Product", "Rules", "Arithmetic", "Relu", "Functions", "Sigmoid", "Collecting")  # answers
FUNCTIONS_OF = {part.name: part.names for part in PARTS if part.functions or not part.methods} | EARLIER_NAMES
OLD_NAMES = {  # what they mean if other code uses them
    **{
        name: slot
        for exercise, names in FUNCTIONS_OF.items()
        for name, slot in zip(names, PLACES.get(exercise, names))
        if name != slot
    },
    **{"add": SUMS[0], "multiply": SUMS[1], "power": "Value.__pow__", "backward": "Value.backward"},
    **dict.fromkeys(CLASSES, "Value"),
    **dict.fromkeys(TENSORS, "Tensor"),
}


@functools.cache
def template(file):
    """Return the Document of the course's own text of a file."""
    return parse((PROVIDED / file).read_text(encoding="utf-8"))


@functools.cache
def order(file):
    """Return {name: its place} of the items of a file, classes of nodes among them."""
    names = [name for item in template(file).items for name in (item.name, *(each.name for each in item.members))]
    return {name: i for i, name in enumerate(names) if name}


@functools.cache
def first_lesson(file, name):
    """Return the lesson from which on an item is in its file."""
    asking = [part.lesson for part in PARTS if name in slots_of(part.name)]
    return MAINS[file] if name == MAIN else FIRST.get(name) or min(asking, default="08")


@functools.cache
def imports():
    """Return {name: the line that imports it} of all that the files may import."""
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
    return TENSOR_FILE if part.lesson in ("08", "09", "10") else FILE
