"""A PyTorch model on the bench: instruments run on it, and it is restored afterwards."""

import contextlib
import functools
import itertools
import math
import random
from collections import OrderedDict, defaultdict

import numpy as np

WAY = "exercises.examine(model, loader, loss_fn, optimizer)"
READ_ROWS, READ_BATCHES, READ_NUMBERS = 1500, 60, 4_000_000  # the most that is read from the loader
PAIR = 256  # rows per batch if the loader is a single pair


def each_tensor(tree):
    """Return the tensors of a tensor, or of a tuple, list or dict of them."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, tuple | list):
        return [tensor for part in tree for tensor in each_tensor(part)]
    return [tree] if hasattr(tree, "is_floating_point") else []


def mapped(change, tree):
    """Return the same tuple, list or dict with a function applied to each tensor."""
    if isinstance(tree, dict):
        return {key: mapped(change, part) for key, part in tree.items()}
    if isinstance(tree, tuple | list):
        parts = [mapped(change, part) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return change(tree) if hasattr(tree, "is_floating_point") else tree


def select_rows(tree, rows):
    """Take some rows of each tensor."""
    return mapped(lambda tensor: tensor[rows] if tensor.dim() else tensor, tree)


def dense(tensor):
    """Return a gradient as a dense tensor of doubles."""
    return (tensor.to_dense() if tensor.is_sparse else tensor).detach().double()


class ModelHarness:
    """A model on which instruments work, and what is needed to restore it."""

    def __init__(self, torch, model, loader, loss_fn, optimizer=None, batch=None):
        self.torch, self.model, self.loader, self.loss_fn = torch, model, loader, loss_fn
        self.optimizer, self.batch = optimizer, batch
        self.named = dict(model.named_parameters())
        self.learnable = [p for p in self.named.values() if p.requires_grad]
        self.names = {id(p): name for name, p in self.named.items()}
        self.random = False  # whether a loss differs though all usual random numbers are the same
        self.twice = False  # whether softmax or sigmoid is used twice, as `torch_loss.softmax` has found
        self.beside = 0  # the loss function's own leaves, as `torch_training.parameters` has found
        self.sums = False  # whether the loss is a sum over the rows, as `torch_loss.rows` has found
        self.batches, self.x, self.y, self.owns = [], None, None, False

    @functools.cached_property
    def coarse(self):
        """True if numbers in the loss's computation have 16 bits, too few to compare two losses that are close."""
        found = [*self.learnable]
        with contextlib.suppress(Exception), self.without_graph(), watching(found.append):
            self.loss()
        return any(self.torch.finfo(each.dtype).bits < 32 for each in found if each.is_floating_point())

    @property
    def weights(self):
        """[(name, parameter)] of those that can learn and have two dimensions or more."""
        return [(name, p) for name, p in self.named.items() if p.requires_grad and p.dim() >= 2]

    def parameters(self):
        """Return the parameters of the model, of the optimizer and of the loss, once each."""
        of_loss = self.loss_fn.parameters() if isinstance(self.loss_fn, self.torch.nn.Module) else ()
        return list(dict.fromkeys([*self.named.values(), *self.optimized(), *of_loss]))

    def optimized(self):
        """Return the optimizer's parameters; without an optimizer, all that can learn."""
        if self.optimizer is None:
            return self.learnable
        return [p for group in self.optimizer.param_groups for p in group["params"]]

    def moved(self, p):
        return any(p is each for each in self.optimized())

    # restoring the model

    @contextlib.contextmanager
    def kept_as_it_was(self):
        """Restore numbers, gradients, modes, generators and the optimizer at the end of the block."""
        torch, optimizer = self.torch, self.optimizer
        modules = [*self.model.modules(), *(self.loss_fn.modules() if hasattr(self.loss_fn, "modules") else ())]
        tensors = [*self.parameters(), *(buffer for module in modules for buffer in module.buffers(recurse=False))]
        with torch.no_grad():
            data = [each.detach().clone() for each in tensors]
        held = {p: p.grad for p in self.parameters()}
        gradients = {p: None if g is None else g.detach().clone() for p, g in held.items()}
        modes = [(module, module.training) for module in modules]  # a ScriptModule does not have it in its vars
        own = optimizer and (dict(vars(optimizer)), [dict(group) for group in optimizer.param_groups])
        generators = [(each, each.get_state()) for each in generators_of(self.loader)]
        numpys, pythons = np.random.get_state(), random.getstate()
        try:
            with torch.random.fork_rng(), torch.enable_grad(), attributes_kept(modules):
                yield
        finally:
            np.random.set_state(numpys)
            random.setstate(pythons)
            for generator, old in generators:
                generator.set_state(old)
            for module, mode in modes:
                if module.training != mode:
                    module.training = mode
            with torch.no_grad():
                for each, old in zip(tensors, data):
                    each.copy_(old)
                for p, gradient in gradients.items():
                    p.grad = held[p]
                    if gradient is not None:
                        p.grad.copy_(gradient)
            if optimizer:
                vars(optimizer).update(own[0])
                for group, old in zip(optimizer.param_groups, own[1]):
                    group.clear()
                    group.update(old)

    @contextlib.contextmanager
    def moved_by(self, moves, share):
        """Move parameters within the block: {parameter: move}, times a share."""
        old = {p: p.detach().clone() for p in moves}
        with self.torch.no_grad():
            for p, move in moves.items():
                p.add_((share * move).to(p.dtype))
        try:
            yield
        finally:
            with self.torch.no_grad():
                for p, data in old.items():
                    p.copy_(data)

    def seeded(self, seed=0):
        """Set the seed of all random numbers (for dropout, say)."""
        self.torch.manual_seed(seed)
        np.random.seed(seed)
        random.seed(seed)

    # the loader

    def read(self):
        """Store some batches (x, y) of the loader; the first one becomes x and y."""
        self.batches = list(self.reading())
        if not self.batches:
            raise TypeError(self.strange(None))
        self.x, self.y = self.batches[0]

    def reading(self):
        """Yield batches, as copies on the model's device, until enough are read."""
        device = next(self.model.parameters()).device
        rows = numbers = 0
        pair = is_pair(self.loader)
        items = [tuple(select_rows(each, slice(PAIR)) for each in self.loader)] if pair else self.loader
        with self.kept_as_it_was():
            self.seeded()
            for item in itertools.islice(said_if_it_fails("the loader", items), READ_BATCHES):
                both = next(said_if_it_fails("batch", map(self.batch, [item]))) if self.batch else item
                if not isinstance(both, tuple | list) or len(both) != 2 or not all(map(each_tensor, both)):
                    raise TypeError(self.strange(item, both))
                x, y = (mapped(lambda tensor: tensor.detach().clone().to(device), each) for each in both)
                yield x, y
                rows, numbers = rows + len(each_tensor(x)[0]), numbers + sum(t.numel() for t in each_tensor(x))
                if rows >= READ_ROWS or numbers >= READ_NUMBERS:
                    break

    def strange(self, item, both=None):
        """Return the error message for a loader that yields something else."""
        if self.batch and item is not None:
            return f"batch makes (rows, targets) from what the loader yields; it returned {type(both).__name__}."
        return (
            f"loader yields batches (x, y) of two tensors, or of tuples, lists and dicts of them; its first is "
            f"{'of the type ' + type(item).__name__ if item is not None else 'missing'}. "
            "For another kind, batch=a function that makes (rows, targets) from it."
        )

    # passes and steps

    def scores(self, x):
        """Return the model's scores, with the same random numbers each time; leave its buffers and attributes alone."""
        self.seeded()
        buffers = [(buffer, buffer.clone()) for buffer in self.model.buffers()]
        with attributes_kept(self.model.modules()):
            found = self.model(mapped(lambda tensor: tensor.clone(), x))
        with self.torch.no_grad():
            for buffer, old in buffers:
                if not buffer.equal(old):
                    buffer.data = old  # not in place: the graph may need it
        return found

    def loss(self, x=None, y=None):
        """Return the loss of a batch, by default the first."""
        x, y = (self.x, self.y) if x is None else (x, y)
        found = self.loss_fn(self.scores(x), y)
        if not hasattr(found, "numel"):
            raise TypeError(f"the loss is a tensor of one number; this is of the type {type(found).__name__}")
        if found.numel() != 1:
            raise ValueError(f"the loss is one number; this is of the shape {tuple(found.shape)}")
        return found

    def loss_value(self, x=None, y=None):
        with self.without_graph():
            return float(self.loss(x, y).detach())

    def without_graph(self):
        """Make no graph within the block, unless the program needs one for its own slopes."""
        return self.torch.enable_grad() if self.needs_graph else self.torch.no_grad()

    @functools.cached_property
    def needs_graph(self):
        """True if the loss cannot be computed without a graph, for example because it takes the slope of scores."""
        with self.torch.no_grad():
            try:
                self.loss()
            except Exception as error:
                return "does not require grad" in str(error)
        return False

    def clear(self):
        """Set all gradients to None, whichever parameters the optimizer has."""
        for p in self.parameters():
            p.grad = None

    def gradient(self, x=None, y=None):
        """Compute fresh gradients of a batch's loss in the model. Return the loss."""
        self.clear()
        found = self.loss(x, y)
        if found.requires_grad:
            found.backward()
        return float(found.detach())

    def gradients(self):
        """Return {parameter: gradient} of all that can learn and have one, those of the loss too, as doubles."""
        return {p: dense(p.grad) for p in self.parameters() if p.requires_grad and p.grad is not None}

    def size(self):
        """Return the norm of all gradients as one vector."""
        return math.sqrt(sum(float((gradient**2).sum()) for gradient in self.gradients().values()))

    def begin_steps(self, **settings):
        """Reset the optimizer to the state before its first step, at its full rate."""
        self.optimizer.state = defaultdict(dict)
        for hooks in ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks"):  # the learner's own
            setattr(self.optimizer, hooks, OrderedDict())
        for group in self.optimizer.param_groups:
            group["lr"] = max(map(float, (group.get(key, 0.0) for key in ("lr", "initial_lr", "max_lr"))))
            group.update({key: value for key, value in settings.items() if key in group})

    def step(self):
        """Take the optimizer's own step, without the wrapper of a schedule."""
        type(self.optimizer).step(self.optimizer)

    @property
    def steps_alone(self):
        """True if there is an optimizer whose step needs no function."""
        return self.optimizer is not None and not isinstance(self.optimizer, self.torch.optim.LBFGS)

    def moves(self, **settings):
        """Return {parameter: move} of the optimizer's first step, as doubles, for the gradients at hand."""
        before = {p: p.detach().clone() for p in self.parameters()}
        self.begin_steps(**settings)
        self.step()
        found = {p: p.detach().double() - old.double() for p, old in before.items()}
        with self.torch.no_grad():
            for p, old in before.items():
                p.copy_(old)
        return found

    def at_rest(self):
        """Switch dropout off, but let batch norm use its batches: overfitting a few rows needs both."""
        norms = [each for each in self.model.modules() if "BatchNorm" in type(each).__name__ and each.training]
        self.model.eval()
        for each in norms:
            each.training = True


@contextlib.contextmanager
def watching(note):
    """Call `note` with each tensor that an operation returns within the block."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            found = function(*args, **(kwargs or {}))
            for each in each_tensor(found):
                note(each)
            return found

    with Watch():
        yield


@contextlib.contextmanager
def attributes_kept(modules):
    """Restore the attributes of modules at the end of the block."""
    before = [(module, [(k, v, plain_copy(v)) for k, v in vars(module).items()]) for module in modules]
    try:
        yield
    finally:
        for module, old in before:
            vars(module).clear()
            vars(module).update({name: refilled(value, copy) for name, value, copy in old})


def said_if_it_fails(what, items):
    """Yield the items; turn any exception raised while making them into a ValueError with a sentence."""
    try:
        yield from items
    except Exception as error:
        raise ValueError(f"{what} raised {type(error).__name__}: {error}") from error


def plain_copy(value):
    return value.copy() if type(value) in (dict, list, set, OrderedDict) else value


def refilled(value, copy):
    """Put the content of a copy back into a dict, list or set, and return it."""
    if value is not copy:
        value.clear()
        value.extend(copy) if isinstance(value, list) else value.update(copy)
    return value


def is_pair(loader):
    return (
        isinstance(loader, tuple | list) and len(loader) == 2 and all(hasattr(e, "is_floating_point") for e in loader)
    )


def generators_of(loader):
    holders = loader, *(getattr(loader, name, None) for name in ("sampler", "batch_sampler"))
    holders += (getattr(holders[2], "sampler", None),)
    found = [getattr(each, "generator", None) for each in holders]
    return list(dict.fromkeys(each for each in found if hasattr(each, "get_state")))
