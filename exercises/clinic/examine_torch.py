"""`examine` for a PyTorch model: parameters reached, small step, kept : fresh, gradients a layer, eight by heart."""

import contextlib
import math
from collections import defaultdict

from exercises.clinic import instruments
from exercises.clinic.instruments import flow, leftover
from exercises.clinic.numbers import number, numbers
from exercises.clinic.of_training import BY_HEART, ROWS, memory, ratio
from exercises.clinic.overview import PATIENCE, SECONDS, Overview, Row, called_off
from exercises.sandbox.guard import Trouble, Unfinished, guarded, trying

SHARE = 1e-3  # of the loss: what a small step is to bring, small beside the loss and large beside rounding
LEARNED, IN_PART = 0.05, 0.5  # by heart: shares of the first loss
WAY = "exercises.examine(model, loader, loss_fn, optimizer)"


def examine_model(model, loader, loss_fn, optimizer=None):
    """The Overview of a PyTorch model, which is left as it was."""
    try:
        import torch
    except ImportError:
        raise ImportError(f"{WAY} needs PyTorch, which is not installed here. Own programs need none.") from None
    check_types(torch, model, loader, loss_fn, optimizer)
    bench = Bench(torch, model, loss_fn, optimizer)
    rows = []
    with bench.kept_as_it_was():
        batch = first_batch(torch, model, loader)
        for title, measure in MEASURES:
            with bench.kept_as_it_was():
                rows.append(row(title, measure, bench, batch))
    wrong, able = sum(each.sign == "✗" for each in rows), sum(each.sign != "–" for each in rows)
    says = f"{wrong} of {able} instruments do not read as on a healthy model."
    return Overview(tuple(rows), (says if wrong else f"All {able} instruments read as on a healthy model.",))


def check_types(torch, model, loader, loss_fn, optimizer):
    """TypeError, with a sentence, where an argument is of a wrong kind."""
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"model is a torch.nn.Module, as in {WAY}; got {type(model).__name__}.")
    if not callable(loss_fn):
        raise TypeError(f"loss_fn is a function of (scores, y), as in {WAY}; got {type(loss_fn).__name__}.")
    if optimizer is not None and not isinstance(optimizer, torch.optim.Optimizer):
        raise TypeError(f"optimizer is one of torch.optim, or is left out; got {type(optimizer).__name__}.")
    if not hasattr(type(loader), "__iter__"):
        raise TypeError(f"loader gives batches (x, y), as a DataLoader or a list does; got {type(loader).__name__}.")
    if iter(loader) is loader:
        raise TypeError(
            "loader can be read only once, and examining it would use it up. A DataLoader or a list will do."
        )
    if not list(model.parameters()):
        raise ValueError("this model has no parameters: there is nothing to examine.")
    if any(map(torch.nn.parameter.is_lazy, model.parameters())):
        raise ValueError("this model has lazy parameters, which have no shape yet. Run it once on a batch first.")


def first_batch(torch, model, loader):
    """The first batch, (x, y), on the model's device."""
    batch = next(iter(loader), None)
    if not isinstance(batch, tuple | list) or len(batch) != 2 or not all(isinstance(b, torch.Tensor) for b in batch):
        raise TypeError(f"loader gives batches (x, y) of two tensors; its first is of the type {type(batch).__name__}.")
    device = next(model.parameters()).device
    return tuple(each.to(device) for each in batch)


def row(title, measure, bench, batch):
    """The Row of an instrument; one that failed, where the model cannot be run."""

    def tried():
        with trying(title, alone=False):  # a loader may have workers
            return measure(bench, *batch)

    try:
        says, *dials = guarded(tried, SECONDS, PATIENCE)
    except Unfinished:
        return Row(title, "The model is not written yet.", failed=True)
    except Trouble as trouble:
        return called_off(title, trouble)
    return Row(title, says, tuple(dials))


class Bench:
    """A model on which instruments work, and what is needed to bring it back."""

    def __init__(self, torch, model, loss_fn, optimizer):
        self.torch, self.model, self.loss_fn, self.optimizer = torch, model, loss_fn, optimizer
        self.named = dict(model.named_parameters())
        self.learnable = [p for p in self.named.values() if p.requires_grad]

    @contextlib.contextmanager
    def kept_as_it_was(self):
        """While it lasts anything may happen to numbers, gradients, modes, generators and the optimizer."""
        torch, model, optimizer = self.torch, self.model, self.optimizer
        tensors = [*model.parameters(), *model.buffers()]
        with torch.no_grad():
            data = [each.detach().clone() for each in tensors]
        held = {p: p.grad for p in self.parameters()}
        gradients = {p: None if g is None else g.detach().clone() for p, g in held.items()}
        modes = [(module, module.training) for module in model.modules()]
        state = optimizer and (optimizer.state, [dict(group) for group in optimizer.param_groups])
        others = {p: p.detach().clone() for p in self.parameters() if not any(p is each for each in tensors)}
        try:
            with torch.random.fork_rng(), torch.enable_grad():
                yield
        finally:
            with torch.no_grad():
                for each, old in [*zip(tensors, data), *others.items()]:
                    each.copy_(old)
                for p, gradient in gradients.items():
                    p.grad = held[p]
                    if gradient is not None:
                        p.grad.copy_(gradient)
            for module, training in modes:
                module.training = training
            if optimizer:
                optimizer.state = state[0]
                for group, old in zip(optimizer.param_groups, state[1]):
                    group.clear()
                    group.update(old)

    def parameters(self):
        """Those of the model, and those of the optimizer, once each."""
        return list(dict.fromkeys([*self.named.values(), *self.optimized()]))

    def optimized(self):
        """Those that the optimizer has; all that can learn, where none is given."""
        if self.optimizer is None:
            return self.learnable
        return [p for group in self.optimizer.param_groups for p in group["params"]]

    def loss(self, x, y):
        """The loss, with the same random numbers (dropout's) each time."""
        self.torch.manual_seed(0)
        found = self.loss_fn(self.model(x), y)
        if found.numel() != 1:
            raise ValueError(f"the loss is one number; this is of the shape {tuple(found.shape)}")
        return found

    def clear(self):
        """Leave no gradient, whatever the optimizer has."""
        for p in self.parameters():
            p.grad = None

    def size(self):
        """The length of all gradients of the model as one vector."""
        return math.sqrt(sum(float((p.grad.double() ** 2).sum()) for p in self.learnable if p.grad is not None))

    def gradient(self, x, y):
        """The loss of a batch, with fresh gradients in the model."""
        self.clear()
        found = self.loss(x, y)
        if found.requires_grad:
            found.backward()
        return float(found.detach())


def reached(bench, x, y):
    """How many of the parameters that can learn the loss depends on."""
    bench.gradient(x, y)
    away = [name for name, p in bench.named.items() if p.requires_grad and p.grad is None]
    count, frozen = len(bench.learnable), len(bench.named) - len(bench.learnable)
    says = f"{count - len(away)} of {count}."
    if away:
        says += f" Not reached: {', '.join(away[:6])}{' and others' if len(away) > 6 else ''}."
    if frozen:
        says += f" {frozen} more cannot learn: their requires_grad is False."
    return says, (instruments.reached, instruments.reached.word({"reached": count - len(away), "of": count}))


def layers(bench, x, y):
    """The root of the mean square of each gradient of two dimensions or more, first layer to last."""
    bench.gradient(x, y)
    found = [
        float(p.grad.double().pow(2).mean().sqrt()) if p.grad is not None else 0.0
        for p in bench.learnable
        if p.dim() >= 2
    ]
    if not found:
        return ("There are no weights of two dimensions.",)
    word = flow.word({"sizes": found, "large": math.inf, "least": 0})
    return f"Sizes, first layer to last: {numbers(found)}.", (flow, word)


def small_step(bench, x, y):
    """The change of the loss by one small step, divided by -rate · ‖g‖², g the gradient of all that can learn.

    The step is the optimizer's own where that is SGD, with a small rate and nothing remembered; else a plain step of
    those that the optimizer has: steps of other kinds go another way, and bring another change.
    """
    before = bench.gradient(x, y)
    slope = bench.size() ** 2
    if slope == 0:
        return "The gradient is 0: there is nothing to divide by.", (ratio, "no gradient")
    rate = SHARE * max(abs(before), SHARE) / slope
    own = isinstance(bench.optimizer, bench.torch.optim.SGD)
    if own:
        bench.optimizer.state = defaultdict(dict)
        for group in bench.optimizer.param_groups:
            group["lr"] = rate
        type(bench.optimizer).step(bench.optimizer)
    else:
        with bench.torch.no_grad():
            for p in bench.optimized():
                if p.grad is not None:
                    p -= rate * p.grad
    change = float(bench.loss(x, y).detach()) - before
    share = change / (-rate * slope)
    word = ratio.word({"ratio": share, "expected": -rate * slope})
    step = "the optimizer's own step" if own else "a plain step"
    says = f"The loss changed by {number(change)} in {step}; -rate · ‖g‖² is {number(-rate * slope)}. Ratio: "
    return f"{says}{number(share)}.", (ratio, word)


def kept(bench, x, y):
    """The size of the gradient after the fourth pass with the optimizer's zero_grad, beside that of a fresh one."""
    if bench.optimizer is None:
        return ("It is the optimizer that sets gradients to 0, and none was given.",)
    bench.gradient(x, y)
    fresh = bench.size()
    bench.clear()
    for _ in range(4):
        bench.optimizer.zero_grad()
        found = bench.loss(x, y)
        if found.requires_grad:
            found.backward()
    held = bench.size()
    share = held / fresh if fresh else math.nan
    word = leftover.word({"ratio": share}) if held else "0"
    left = sum(not any(p is each for each in bench.optimized()) for p in bench.learnable)
    says = f"Kept {number(held)}, fresh {number(fresh)}: {number(share)}."
    if left:
        says += f" The optimizer has not {left} of {len(bench.learnable)} parameters."
    return says, (leftover, word)


def by_heart(bench, x, y):
    """The loss on eight rows, with nothing else to learn; by Adam, where no optimizer is given."""
    torch, rows = bench.torch, (x[:ROWS], y[:ROWS])
    if bench.optimizer is None or isinstance(bench.optimizer, torch.optim.LBFGS):  # whose step runs the model itself
        optimizer = torch.optim.Adam(bench.learnable, lr=1e-3)
    else:
        optimizer = bench.optimizer
        optimizer.state = defaultdict(dict)
    losses = []
    for _ in range(BY_HEART):
        losses.append(bench.gradient(*rows))
        if not math.isfinite(losses[-1]) or losses[-1] < LEARNED * abs(losses[0]) / 2:
            break
        type(optimizer).step(optimizer)
    first, last = losses[0], losses[-1]
    word = memory_of(first, last)
    name = type(optimizer).__name__
    says = f"Loss on {len(rows[0])} rows: {number(first)}, and {number(last)} after {len(losses)} steps of {name}."
    return says, (memory, word)


def memory_of(first, last):
    """Whether they can be learned."""
    if not last < max(10 * abs(first), 1e-9):
        return "lost"
    return "learned" if last < LEARNED * first else "in part" if last < IN_PART * first else "stuck"


MEASURES = (
    ("Parameters reached", reached),
    ("Gradients", layers),
    ("One small step", small_step),
    ("Kept : fresh", kept),
    ("Eight by heart", by_heart),
)
