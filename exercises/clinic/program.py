"""A training program in parts, one of which a fault or a repair replaces; and its run, step by step."""

import ast
import functools
import inspect
import math
from pathlib import Path
from types import FunctionType

import numpy as np

from autograd import SGD
from autograd.lessons.digits import load_digits
from autograd.tensor import Tensor

PARTS = ("data", "make", "batches", "scores", "loss", "zero", "update", "measure")
SETTINGS = ("HIDDEN", "DEPTH", "LR", "BATCH", "EPOCHS", "CLASSES")
FILE = "<the patient's {}>"  # the file name of a part's code


@functools.cache
def read_program(task):
    return Path(__file__).with_name("programs").joinpath(f"{task}.py").read_text(encoding="utf-8")


@functools.cache
def parsed(task):
    """Return {name: text} of the settings and the parts in a task's own text, without their docstrings."""
    source, found = read_program(task), {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            lines = source.splitlines()[node.lineno - 1 : node.end_lineno]
            del lines[1 : 1 + len((ast.get_docstring(node, clean=False)).splitlines())]
            found[node.name] = "\n".join(lines)
        elif isinstance(node, ast.Assign):
            found["settings"] = ast.get_source_segment(source, node)
    return found


def healthy_parts(task):
    """Return {name: text} of the settings and the eight parts of a healthy program."""
    return parsed("digits") | parsed(task)


@functools.cache
def compiled(code, of):
    """Compile a text under a file name that exceptions can show."""
    return compile(code, FILE.format(of), "exec")


class Engine:
    """The tools of a program: a Tensor class, and the mean cross-entropy of scores and labels."""

    def __init__(self, tensor, cross_entropy, name):
        self.Tensor, self.cross_entropy, self.name = tensor, cross_entropy, name

    @classmethod
    def from_module(cls, module):
        """Return the Engine of a learner or of the course: any module with Tensor and softmax_cross_entropy."""
        return cls(module.Tensor, module.softmax_cross_entropy, "my_engine")


PACKAGE = Engine(Tensor, lambda z, labels: z.softmax_cross_entropy(labels), "autograd")


class TrainingProgram:
    """The eight parts of a training program, as functions in their own namespace.

    task: "digits" or "pump". changes: Python texts that are run after the healthy parts, and replace them.
    functions: a learner's functions, which replace the parts of the same names. settings: HIDDEN, LR, ….
    """

    def __init__(self, task="digits", changes=(), functions=(), settings=None, seed=0, engine=PACKAGE):
        self.task, self.changes, self.functions = task, tuple(changes), tuple(functions)
        self.settings, self.seed, self.engine = dict(settings or {}), seed, engine
        self.names, self.run = self.namespace(), None
        for function in self.functions:
            self.names[function.__name__] = self.moved(function)

    def namespace(self):
        """Return the names of the program: settings, helpers, parts."""
        Tensor = self.engine.Tensor

        def layer(rng, inputs, units, scale=1.0):
            weights = rng.standard_normal((inputs, units)) * math.sqrt(2 / inputs) * scale
            return [Tensor(weights), Tensor(np.zeros(units))]

        names = {"__name__": "patient", "np": np, "Tensor": Tensor, "cross_entropy": self.engine.cross_entropy}
        names |= {"SGD": SGD, "load_digits": load_digits, "layer": layer}
        for task in dict.fromkeys(("digits", self.task)):
            exec(compiled(read_program(task), task), names)
        names |= self.settings
        for i, change in enumerate(self.changes):
            exec(compiled(change, f"change {i}"), names)
        return names

    def moved(self, function):
        """Move a learner's function into this program: names that its cell lacks are found among the parts."""
        if not isinstance(function, FunctionType):
            return function
        own = names_in(function.__code__) & set(function.__globals__) - set(self.names)
        self.names |= {name: function.__globals__[name] for name in own}
        return with_scope(function, self.names)

    def __getattr__(self, name):
        if name in PARTS or name in SETTINGS:
            return self.names[name]
        raise AttributeError(f"a program has no {name!r}. It has: {', '.join((*PARTS, *SETTINGS))}.")

    def with_functions(self, *functions):
        """Return this program with some parts replaced by functions."""
        return TrainingProgram(
            self.task, self.changes, (*self.functions, *functions), self.settings, self.seed, self.engine
        )

    def repaired(self, *changes):
        """Return this program with some parts replaced by texts."""
        return TrainingProgram(
            self.task, (*self.changes, *changes), self.functions, self.settings, self.seed, self.engine
        )

    def begin(self):
        """Return a Run of this program, before its first step."""
        return Run(self)

    def trained(self):
        """Return a generator that yields after each step of a training, and returns the Run, which is kept."""
        if self.run is None:
            run = self.begin()
            yield from run.train()
            self.run = run
        return self.run


def with_scope(function, scope):
    """Return a copy of a function that looks its names up in another scope."""
    moved = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
    moved.__kwdefaults__ = function.__kwdefaults__
    return moved


def names_in(code):
    """Return the global names that a function's code looks up, those of its inner functions too."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if inspect.iscode(constant):
            found |= names_in(constant)
    return found


class Run:
    """A program that has begun: its layers and optimizer, its data, and the results of its steps."""

    def __init__(self, program):
        self.program, self.rng = program, np.random.RandomState(program.seed)
        with np.errstate(all="ignore"):
            self.x, self.y, self.test_x, self.test_y = (np.array(each) for each in program.data())
            self.layers, self.optimizer = program.make(self.rng)
        self.before = self.x.copy()
        self.losses, self.epochs = [], []  # the loss of each step; the losses of each epoch
        self.classes = []  # the number of classes in each batch

    @property
    def parameters(self):
        """All arrays of the layers, whether the optimizer has them or not."""
        return [p for each in self.layers for p in each]

    def first_batch(self):
        """Return the first batch of an epoch, (x, labels), drawn from its own order."""
        return next(iter(self.program.batches(self.x.copy(), self.y, np.random.RandomState(1000 + self.program.seed))))

    def pass_back(self, x, y):
        """Run loss, zero and backward, as in a step, without the update. Return the loss, a Tensor."""
        found = self.program.loss(self.layers, x, y)
        self.program.zero(self.layers, self.optimizer)
        found.backward()
        return found

    def step(self, x, y):
        """Take one step of training. Return the loss, a float; nan if the program's arithmetic raises an error."""
        try:
            found = self.pass_back(x, y)
            self.program.update(self.layers, self.optimizer)
        except (ArithmeticError, ValueError):
            return math.nan
        return float(found.data)

    def clear(self):
        """Set all gradients to 0, whatever `zero` does."""
        for p in self.parameters:
            p.grad = np.zeros(p.data.shape)

    def gradients(self):
        """Return copies of all gradients, in the order of the parameters."""
        return [np.broadcast_to(np.asarray(p.grad, float), p.data.shape).copy() for p in self.parameters]

    def train(self):
        """Return a generator that trains to the end, yielding after each step; it stops once the loss is not finite."""
        for _ in range(self.program.EPOCHS):
            losses = []
            self.epochs.append(losses)
            for x, y in self.program.batches(self.x, self.y, self.rng):
                with np.errstate(all="ignore"):
                    losses.append(self.step(x, y))
                self.losses.append(losses[-1])
                self.classes.append(len(np.unique(y)))
                if not math.isfinite(losses[-1]):
                    return
                yield
