"""A PyTorch model on the bench: what instruments run on it, and how it is brought back to what it was."""

import contextlib
import functools
import itertools
import math
import random
from collections import OrderedDict, defaultdict

import numpy as np

WAY = "exercises.examine(model, loader, loss_fn, optimizer)"
READ_ROWS, READ_BATCHES, READ_NUMBERS = 1500, 60, 4_000_000  # of the loader, at most
PAIR = 256  # rows of one pair that make a batch


def each_tensor(tree):
    """The tensors of a tensor, or of a tuple, list or dict of them."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, tuple | list):
        return [tensor for part in tree for tensor in each_tensor(part)]
    return [tree] if hasattr(tree, "is_floating_point") else []


def mapped(change, tree):
    """The same tuple, list or dict with each tensor changed."""
    if isinstance(tree, dict):
        return {key: mapped(change, part) for key, part in tree.items()}
    if isinstance(tree, tuple | list):
        parts = [mapped(change, part) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return change(tree) if hasattr(tree, "is_floating_point") else tree


def take(tree, rows):
    """Some rows of each tensor."""
    return mapped(lambda tensor: tensor[rows] if tensor.dim() else tensor, tree)


def dense(tensor):
    """A gradient as a plain tensor of doubles."""
    return (tensor.to_dense() if tensor.is_sparse else tensor).detach().double()


class Bench:
    """A model on which instruments work, and what is needed to bring it back."""

    def __init__(self, torch, model, loader, loss_fn, optimizer=None, batch=None):
        self.torch, self.model, self.loader, self.loss_fn = torch, model, loader, loss_fn
        self.optimizer, self.batch = optimizer, batch
        self.named = dict(model.named_parameters())
        self.learnable = [p for p in self.named.values() if p.requires_grad]
        self.names = {id(p): name for name, p in self.named.items()}
        self.random = False  # whether a loss differs though all usual random numbers are the same
        self.twice = False  # whether softmax or sigmoid is used twice, as `torch_loss.softmax` has found
        self.beside = 0  # leaves of the loss function's own, as `torch_training.parameters` has found
        self.sums = False  # whether the loss is a sum over the rows, as `torch_loss.rows` has found
        self.batches, self.x, self.y, self.owns = [], None, None, False

    @functools.cached_property
    def coarse(self):
        """Whether numbers on the loss's way have 16 bits, too few to compare two losses that are near each other."""
        found = [*self.learnable]
        with contextlib.suppress(Exception), self.without_graph(), watching(found.append):
            self.loss()
        return any(self.torch.finfo(each.dtype).bits < 32 for each in found if each.is_floating_point())

    @property
    def weights(self):
        """[(name, parameter)] of those that can learn and have two dimensions or more."""
        return [(name, p) for name, p in self.named.items() if p.requires_grad and p.dim() >= 2]

    def parameters(self):
        """Those of the model, those of the optimizer, and those of the loss, once each."""
        of_loss = self.loss_fn.parameters() if isinstance(self.loss_fn, self.torch.nn.Module) else ()
        return list(dict.fromkeys([*self.named.values(), *self.optimized(), *of_loss]))

    def optimized(self):
        """Those that the optimizer has; all that can learn, where none is given."""
        if self.optimizer is None:
            return self.learnable
        return [p for group in self.optimizer.param_groups for p in group["params"]]

    def moved(self, p):
        """Whether the optimizer has a parameter."""
        return any(p is each for each in self.optimized())

    # what is left as it was

    @contextlib.contextmanager
    def kept_as_it_was(self):
        """While it lasts anything may happen to numbers, gradients, modes, generators and the optimizer."""
        torch, optimizer = self.torch, self.optimizer
        modules = [*self.model.modules(), *(self.loss_fn.modules() if hasattr(self.loss_fn, "modules") else ())]
        tensors = [*self.parameters(), *(buffer for module in modules for buffer in module.buffers(recurse=False))]
        with torch.no_grad():
            data = [each.detach().clone() for each in tensors]
        held = {p: p.grad for p in self.parameters()}
        gradients = {p: None if g is None else g.detach().clone() for p, g in held.items()}
        modes = [(module, module.training) for module in modules]  # a ScriptModule does not keep it in its vars
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
        """While it lasts, parameters are moved: {parameter: move}, times a share."""
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
        """The same random numbers (dropout's, say) from here on."""
        self.torch.manual_seed(seed)
        np.random.seed(seed)
        random.seed(seed)

    # the loader

    def read(self):
        """Keep what the loader yields, some batches of (x, y), and the first of them."""
        self.batches = list(self.reading())
        if not self.batches:
            raise TypeError(self.strange(None))
        self.x, self.y = self.batches[0]

    def reading(self):
        """Yield batches, as copies on the model's device, until enough are read."""
        device = next(self.model.parameters()).device
        rows = numbers = 0
        pair = is_pair(self.loader)
        items = [tuple(take(each, slice(PAIR)) for each in self.loader)] if pair else self.loader
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
        """What is said of a loader that yields something else."""
        if self.batch and item is not None:
            return f"batch makes (rows, targets) of what the loader yields; it gave {type(both).__name__}."
        return (
            f"loader gives batches (x, y) of two tensors, or of tuples, lists and dicts of them; its first is "
            f"{'of the type ' + type(item).__name__ if item is not None else 'missing'}. "
            "For another kind, batch=a function that makes (rows, targets) of it."
        )

    # passes and steps

    def scores(self, x):
        """The model's scores, with the same random numbers each time; its buffers and what it keeps are left alone."""
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
        """The loss of a batch, the first if none is given."""
        x, y = (self.x, self.y) if x is None else (x, y)
        found = self.loss_fn(self.scores(x), y)
        if not hasattr(found, "numel"):
            raise TypeError(f"the loss is a tensor of one number; this is of the type {type(found).__name__}")
        if found.numel() != 1:
            raise ValueError(f"the loss is one number; this is of the shape {tuple(found.shape)}")
        return found

    def loss_value(self, x=None, y=None):
        """The loss, as a number."""
        with self.without_graph():
            return float(self.loss(x, y).detach())

    def without_graph(self):
        """While it lasts, no graph is made; but where the program needs one for slopes of its own."""
        return self.torch.enable_grad() if self.needs_graph else self.torch.no_grad()

    @functools.cached_property
    def needs_graph(self):
        """Whether the loss can be had with a graph alone, as where it takes the slope of scores."""
        with self.torch.no_grad():
            try:
                self.loss()
            except Exception as error:
                return "does not require grad" in str(error)
        return False

    def clear(self):
        """Leave no gradient, whatever the optimizer has."""
        for p in self.parameters():
            p.grad = None

    def gradient(self, x=None, y=None):
        """The loss of a batch, with fresh gradients in the model."""
        self.clear()
        found = self.loss(x, y)
        if found.requires_grad:
            found.backward()
        return float(found.detach())

    def gradients(self):
        """{parameter: its gradient} of all that can learn and have one, those of the loss too, in doubles."""
        return {p: dense(p.grad) for p in self.parameters() if p.requires_grad and p.grad is not None}

    def size(self):
        """The length of all gradients as one vector."""
        return math.sqrt(sum(float((gradient**2).sum()) for gradient in self.gradients().values()))

    def begin_steps(self, **settings):
        """Make the optimizer what it was before its first step, at its full rate."""
        self.optimizer.state = defaultdict(dict)
        for hooks in ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks"):  # the learner's own
            setattr(self.optimizer, hooks, OrderedDict())
        for group in self.optimizer.param_groups:
            group["lr"] = max(map(float, (group.get(key, 0.0) for key in ("lr", "initial_lr", "max_lr"))))
            group.update({key: value for key, value in settings.items() if key in group})

    def step(self):
        """The optimizer's own step, without what a schedule has put around it."""
        type(self.optimizer).step(self.optimizer)

    @property
    def steps_alone(self):
        """Whether there is an optimizer whose step needs no function."""
        return self.optimizer is not None and not isinstance(self.optimizer, self.torch.optim.LBFGS)

    def moves(self, **settings):
        """{parameter: move} of the optimizer's first step, in doubles; fresh gradients are there."""
        before = {p: p.detach().clone() for p in self.parameters()}
        self.begin_steps(**settings)
        self.step()
        found = {p: p.detach().double() - old.double() for p, old in before.items()}
        with self.torch.no_grad():
            for p, old in before.items():
                p.copy_(old)
        return found

    def at_rest(self):
        """Switch dropout off, and leave batch norm with its batches: as a model learns rows by heart."""
        norms = [each for each in self.model.modules() if "BatchNorm" in type(each).__name__ and each.training]
        self.model.eval()
        for each in norms:
            each.training = True


@contextlib.contextmanager
def watching(note):
    """While it lasts, note is called with each tensor that an operation gives."""
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
    """While it lasts, modules may change their attributes."""
    before = [(module, [(k, v, plain_copy(v)) for k, v in vars(module).items()]) for module in modules]
    try:
        yield
    finally:
        for module, old in before:
            vars(module).clear()
            vars(module).update({name: refilled(value, copy) for name, value, copy in old})


def said_if_it_fails(what, items):
    """The same items; ValueError, a sentence, for any exception that is raised while they are made."""
    try:
        yield from items
    except Exception as error:
        raise ValueError(f"{what} raised {type(error).__name__}: {error}") from error


def plain_copy(value):
    """A dict, list or set as another one with the same in it; all else itself."""
    return value.copy() if type(value) in (dict, list, set, OrderedDict) else value


def refilled(value, copy):
    """The same dict, list or set, with what was in it before."""
    if value is not copy:
        value.clear()
        value.extend(copy) if isinstance(value, list) else value.update(copy)
    return value


def is_pair(loader):
    """Whether this is one pair (rows, targets), not many batches."""
    return (
        isinstance(loader, tuple | list) and len(loader) == 2 and all(hasattr(e, "is_floating_point") for e in loader)
    )


def generators_of(loader):
    """The generators from which a DataLoader draws."""
    holders = loader, *(getattr(loader, name, None) for name in ("sampler", "batch_sampler"))
    holders += (getattr(holders[2], "sampler", None),)
    found = [getattr(each, "generator", None) for each in holders]
    return list(dict.fromkeys(each for each in found if hasattr(each, "get_state")))
