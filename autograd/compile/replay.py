"""`Replay`: a function of Values, run once and written as straight-line Python, which runs without a graph."""

from autograd.compile.codegen import GuardFailed, Program
from autograd.compile.trace import Tracer
from autograd.errors import messages
from autograd.errors.validation import real, require_list
from autograd.operations import MATH, row_of
from autograd.topo import topological_order
from autograd.training.losses import total
from autograd.value import Value

MOST = 16  # programs kept of one function; after that, where none fits, the engine answers
FLOATS = {float}


class Replay:
    """A recorded function. Call it with the parameters' numbers, then the inputs'; it returns (loss, gradients).

    source: the newest program, as Python source: one line per node, and one per gradient.

    The results are the engine's to the last bit. A comparison that Python makes on the `data` of a Value is a guard: if
    it comes out differently, the function is recorded again. So it is if a number that was read as text or as a ratio
    has changed (0.0 and -0.0 count as one). A recording does not see what a function of the math module makes of
    `data`, a number that is hashed, and whatever else changes from run to run, such as random numbers.
    """

    def __init__(self, f, at, parameters):
        self.f, self.parameters, self.inputs = f, parameters, len(at)
        self.programs, self.loops = {}, {}  # {source: function}, the newest last
        self.by_engine([self.checked([*(p.data for p in parameters), *at], len(parameters) + len(at))])

    def __call__(self, *numbers):
        """Return (the root's number, a list with the gradient of each number given)."""
        numbers = self.checked(numbers, len(self.parameters) + self.inputs)
        for program in reversed(self.programs.values()):
            try:
                return program(*numbers)
            except (GuardFailed, ArithmeticError, ValueError):
                continue  # another program's branch; or for the engine, which has an answer or a sentence
        return self.by_engine([numbers])

    def backward(self, *inputs, reset="intermediates"):
        """Do to the parameters' grads what `f(*inputs).backward(reset)` does; return the root's number."""
        loss, gradients = self(*[p.data for p in self.parameters], *inputs)
        self.give(gradients, reset)
        return loss

    def rows(self, rows, mean=False, reset="intermediates"):
        """Do what `total([f(*row) for row in rows]).backward(reset)` does; `mean` divides the total by len(rows)."""
        rows = [self.checked(row, self.inputs) for row in require_list(rows, "rows")]
        if not rows:
            raise ValueError("rows are at least one list of inputs, got none.")
        loss, gradients = self.looped(rows, [p.data for p in self.parameters], mean)
        self.give(gradients, reset)
        return loss

    def looped(self, rows, shared, mean):
        """Return (the loss of all rows, the gradient of each parameter)."""
        for program in reversed(self.loops.values()):
            try:
                losses, gradients = program(rows, 1.0 / len(rows) if mean else 1.0, *shared)
            except (GuardFailed, ArithmeticError, ValueError):
                continue
            losses = iter(reversed(losses))
            loss = next(losses)
            for each in losses:
                loss += each
            return loss / len(rows) if mean else loss, gradients
        for row in rows:  # so that each branch is recorded
            self(*shared, *row)
        return self.by_engine([(*shared, *row) for row in rows], mean)

    def checked(self, numbers, expected):
        """Return numbers as floats; raise TypeError if one is not a number, ValueError if their number is wrong."""
        if len(numbers) != expected:
            raise ValueError(f"This replay takes {expected} numbers, got {len(numbers)}.")
        return numbers if {*map(type, numbers)} <= FLOATS else [real(x, "a replay") for x in numbers]

    def give(self, gradients, reset):
        """Set the parameters' grads, as `reset` says."""
        if reset not in ("intermediates", "all"):
            raise ValueError(f'reset is "intermediates" or "all" here: no node keeps a grad. Got {reset!r}.')
        for parameter, gradient in zip(self.parameters, gradients):
            parameter.grad = gradient + parameter.grad if reset == "intermediates" else gradient

    def by_engine(self, rows, mean=False):
        """Let the engine answer for rows of numbers, and record a program of each row while there is room for one."""
        shared = len(self.parameters)
        before = [(p, p.data) for p in self.parameters]
        try:
            for parameter, number in zip(self.parameters, rows[0]):
                parameter.data = number
            runs = [self.run(row[shared:]) for row in rows]
            root = total([root for root, _ in runs])
            root = root / len(rows) if mean else root
            leaves = [*self.parameters, *runs[0][1]] if len(rows) == 1 else self.parameters
            return root.data, gradients(root, leaves)
        finally:
            for parameter, number in before:
                parameter.data = number

    def run(self, numbers):
        """Return (the root of f's graph for these inputs, the inputs as Values), and keep a program of it."""
        inputs = [Value(x, label=f"x{i}") for i, x in enumerate(numbers, start=1)]
        with Tracer() as tracer:
            root = self.f(*inputs)
        order = topological_order(root)
        refuse(order, tracer.made, in_table, "autograd/operations.py")
        if len(self.programs) < MOST:
            arguments = [*self.parameters, *inputs]
            program = Program(tracer.made, order, arguments, tracer.known, list(tracer.guards))
            source = program.function(arguments)
            if source not in self.programs:
                self.programs[source], self.source = compiled(source), source
                if inputs:
                    source = program.loop(self.parameters, inputs)
                    self.loops[source] = compiled(source)
        return root, inputs


def refuse(order, made, known, file):
    """Raise ValueError for a node that f did not compute itself, which would not change, or an unknown operation."""
    made = set(made)
    for node in order:
        if node._prev and node not in made:
            raise ValueError(
                f"The function uses {messages.named(node)}, computed by {node._op!r} before it was called. "
                "Compute it in the function, so that it can change."
            )
        if node._prev and not known(node):
            raise ValueError(f"{node!r} cannot be recorded: {file} has no {node._op!r}.")


def in_table(node):
    return node._op == "weighted_sum" or row_of(node._op)


def gradients(root, leaves):
    """Return a list of ∂root/∂leaf for each leaf. The grads of all nodes stay unchanged."""
    slot = "_grad" if hasattr(root, "_vjps") else "grad"  # a Tensor's zeros are not made before somebody asks
    before = [(node, getattr(node, slot)) for node in {*topological_order(root), *leaves}]
    for leaf in leaves:
        leaf.grad = 0.0  # also of one that the root does not depend on
    root.backward("all")
    found = [leaf.grad for leaf in leaves]
    for node, grad in before:
        setattr(node, slot, grad)
    return found


def compiled(source, names=MATH):
    """Return the function that a program's source defines."""
    names = {**names, "GuardFailed": GuardFailed}
    exec(compile(source, "<recorded>", "exec"), names)
    return names["program"]
