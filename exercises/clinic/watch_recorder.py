"""Record what a PyTorch training loop does while it runs, by hooks that change none of its numbers."""

import contextlib
import functools
import itertools
import math
import os
import sys
import weakref
from collections import Counter

from exercises.clinic.watch_ledger import BackwardPass, Ledger
from exercises.clinic.watch_numbers import Operations, flat, loss_of_graph

FRAMES = 12  # of a call's lines, which distinguish two backward passes
FEW = 5  # earlier losses: from this many on, the reading reports that kept graphs grow
OWN = os.path.dirname(__file__)


class Canary:
    """It is stored in a node of a graph, and lives as long as the node."""


def noted(function):
    """Keep a fault of the recorder out of the loop that it watches; its readings say that it failed."""

    @functools.wraps(function)
    def guarded(self, *args, **kwargs):
        try:
            with self.torch._C.DisableTorchFunction():
                return function(self, *args, **kwargs)
        except Exception as fault:
            self.trouble = f"the recorder failed in {function.__name__}: {type(fault).__name__}: {fault}"

    return guarded


class Recorder:
    """The hooks on a loop, and what they have noted."""

    def __init__(self, torch, models, optimizers):
        self.torch, self.models = torch, models
        self.ledgers = [Ledger(torch, each) for each in optimizers]
        several = len(models) > 1
        self.named = {
            (f"{i}: " if several else "") + name: p
            for i, model in enumerate(models)
            for name, p in model.named_parameters()
        }
        self.by_id = {id(p): p for p in self.named.values()}
        self.roots = {model: frozenset(map(id, model.parameters())) for model in models}
        self.names = {id(p): name for name, p in reversed(self.named.items())}
        held = {id(p) for ledger in self.ledgers for p in ledger.parameters}
        self.at_start = {id(p): p.detach().reshape(-1)[:256].clone() for p in self.named.values() if id(p) not in held}
        self.trouble, self.passes, self.skipping, self.inside, self.silence = "", 0, None, False, None
        self.reached, self.others, self.foreign = set(), set(), []
        self.scale_of, self.scaled_loss, self.disabled = 1.0, (None, None), False
        self.kept, self.alive = [], []  # (step, canaries) per loss; at each step, how many earlier ones live
        self.calls, self.mode_log, self.quiet, self.most_quiet = {}, [], {}, Counter()
        every = [(root, name, each) for root in models for name, each in root.named_modules()]
        self.two_modes = {each: (root, name) for root, name, each in every if has_modes(torch, each)}
        self.depth = 0  # of calls of watched models
        self.operations = Operations(self)
        self.torch_home = os.path.dirname(torch.__file__)

    def ledger_of(self, optimizer):
        return next((each for each in self.ledgers if each.optimizer is optimizer), None)

    def optimized(self):
        """Return {id: parameter} of all watched optimizers."""
        return {id(p): p for ledger in self.ledgers for p in ledger.parameters}

    @property
    def steps(self):
        return sum(ledger.steps for ledger in self.ledgers)

    def sites(self, count):
        """Return the lines of the loop's own code that are being run, innermost first: [(file, line)]."""
        frame, found = sys._getframe(2), []
        while frame and len(found) < count:
            file = frame.f_code.co_filename
            if not file.startswith((self.torch_home, OWN)):
                found.append((file, frame.f_lineno))
            frame = frame.f_back
        return tuple(found)

    # backward passes

    def backward(self, original, tensors, *args, **kwargs):
        if self.inside:  # a checkpoint computes a part again
            return original(tensors, *args, **kwargs)
        before, self.inside = self.begin_backward(tensors), True
        try:
            result = original(tensors, *args, **kwargs)
        finally:
            self.inside = False
        self.end_backward(before)
        return result

    @noted
    def begin_backward(self, tensors):
        self.passes += 1
        self.quiet.clear()
        for ledger in self.ledgers:
            ledger.begin_backward()
        root = self.loss(tensors)
        made = "unknown", 1.0
        if root is not None and root.grad_fn is not None:
            made = loss_of_graph(root.grad_fn)
            self.store_canaries(root.grad_fn)
            if root.numel() == 1 and not math.isfinite(root.item()):
                self.operations.found(self.steps, "the loss", root)
        every = {id(p): p for ledger in self.ledgers for p in ledger.parameters} | self.by_id
        gradients = [(p, g, None if g is None else g._version) for p in every.values() for g in [p.grad]]
        return self.sites(FRAMES), made, gradients

    def loss(self, tensors):
        root = tensors if isinstance(tensors, self.torch.Tensor) else next(iter(tensors), None)
        scaled, loss = self.scaled_loss
        self.scaled_loss = None, None
        if loss is root is not None:  # the scaled one was left unused
            for ledger in self.ledgers:
                ledger.scaled = 0
        return loss if scaled is root else root

    def store_canaries(self, node):
        canaries = []
        for _ in range(3):  # a loss, and the same before it was divided
            canary = Canary()
            node.metadata["exercises.watch", id(self)] = canary
            canaries.append(weakref.ref(canary))
            below = [each for each, _ in node.next_functions if each is not None]
            if node.name() not in ("DivBackward0", "MulBackward0") or len(below) != 1:
                break
            (node,) = below
        self.kept.append((self.steps, canaries))

    @noted
    def end_backward(self, before):
        site, (kind, factor), gradients = before
        reached = frozenset(
            id(p)
            for p, g, version in gradients
            for now in [p.grad]
            if now is not g or (g is not None and now._version != version)
        )
        self.reached |= reached
        for ledger in self.ledgers:
            ledger.end_backward(BackwardPass(site, reached, kind, factor))

    # steps of optimizers, schedulers and scalers

    def before_step(self, optimizer, args, kwargs):
        closure = (args[1] if len(args) > 1 else kwargs.get("closure")) is not None  # args[0]: the optimizer
        self.begin_step(optimizer, closure)
        if not closure:  # what an optimizer calls is none of the loop's operations
            self.silence = self.torch._C.DisableTorchFunction()
            self.silence.__enter__()

    def after_step(self, optimizer, args, kwargs):
        self.end_silence()
        self.end_step(optimizer)

    def end_silence(self):
        if self.silence:
            self.silence.__exit__(None, None, None)
            self.silence = None

    @noted
    def begin_step(self, optimizer, closure):
        ledger = self.ledger_of(optimizer)
        if ledger is None:
            self.others |= {id(p) for group in optimizer.param_groups for p in group["params"]}
            return
        by_scaler = self.skipping is optimizer
        ledger.uncounted += closure or self.inside
        sizes = ledger.begin_step(closure, by_scaler)
        self.skipping = None
        fused = getattr(optimizer, "_step_supports_amp_scaling", False) and by_scaler
        bad = [key for key, size in sizes.items() if not math.isfinite(size)]
        if bad and not fused:
            self.operations.found(self.steps, f"the gradient of {self.names.get(bad[-1], 'a parameter')}")

    @noted
    def end_step(self, optimizer):
        ledger = self.ledger_of(optimizer)
        if ledger is None:
            return
        ledger.end_step()
        self.log_modes(ledger.ids)
        self.quiet.clear()
        self.operations.forget()
        now = self.steps
        self.kept = [(step, those) for step, those in self.kept if any(ref() for ref in those)]
        self.alive.append(len({step for step, _ in self.kept if step < now - len(self.ledgers)}))

    def scale(self, original, scaler, outputs):
        scaled = original(scaler, outputs)
        self.disabled = self.disabled or not scaler.is_enabled()
        if scaler.is_enabled() and isinstance(outputs, self.torch.Tensor):
            self.scaled_loss, self.scale_of = (scaled, outputs), scaler.get_scale()
            for ledger in self.ledgers:
                ledger.scaled += 1
        return scaled

    def unscale(self, original, scaler, optimizer):
        ledger = self.ledger_of(optimizer) if scaler.is_enabled() else None
        with self.own_changes([ledger] if ledger else []):
            result = original(scaler, optimizer)
        if ledger:
            ledger.unscaled = True
        return result

    @contextlib.contextmanager
    def own_changes(self, ledgers):
        with self.torch._C.DisableTorchFunction(), contextlib.ExitStack() as stack:
            for ledger in ledgers:
                stack.enter_context(ledger.own_change())
            yield

    def scaler_step(self, original, scaler, optimizer, *args, **kwargs):
        ledger = self.ledger_of(optimizer)
        if ledger is None or not scaler.is_enabled():
            return original(scaler, optimizer, *args, **kwargs)
        self.skipping = optimizer
        result = original(scaler, optimizer, *args, **kwargs)
        ledger.scaler["steps"] += 1
        if self.skipping is optimizer:  # no step began: the scaler has left it out, as it should
            ledger.scaler["skipped"] += 1
            ledger.attempts += 1
            ledger.use()
            ledger.close()
        self.skipping = None
        return result

    def schedule(self, original, scheduler, *args, **kwargs):
        if not getattr(scheduler, "_is_initial", False) and not self.scheduling:
            ledger = self.ledger_of(scheduler.optimizer)
            if ledger is None:
                self.foreign.append(scheduler.optimizer)
            else:
                ledger.schedule += 1
                ledger.early += not ledger.attempts and not ledger.began
        self.scheduling += 1
        try:
            with self.torch._C.DisableTorchFunction():
                return original(scheduler, *args, **kwargs)
        finally:
            self.scheduling -= 1

    def clip(self, original, parameters, *args, **kwargs):
        one = isinstance(parameters, self.torch.Tensor)
        parameters = parameters if one else list(parameters)
        limit = args[0] if args else kwargs.get("max_norm", kwargs.get("clip_value"))
        self.note_clip([parameters] if one else parameters, limit)
        with self.own_changes(self.ledgers):
            return original(parameters, *args, **kwargs)

    @noted
    def note_clip(self, parameters, limit):
        ids = {id(p) for p in parameters}
        for ledger in self.ledgers:
            if ids & {id(p) for p in ledger.parameters}:
                ledger.clip(float(limit), self.scale_of)
            elif not ids:
                ledger.clips.update({"calls": 1, "nothing": 1})

    # modules: hooks on all of them, since one on a module would go along when it is copied

    def enter_module(self, module, args):
        self.depth += module in self.roots
        if module in self.two_modes:
            self.run(*self.two_modes[module], module, args)

    def leave_module(self, module, args, result):
        if module in self.roots:
            self.depth -= 1
            if not self.depth:
                self.note_outputs(result)

    @noted
    def note_outputs(self, result):
        node = next((each.grad_fn for each in flat([result]) if each.grad_fn is not None), None)
        if node is not None:
            self.store_canaries(node)

    @noted
    def run(self, root, name, module, args):
        """Note the mode in which a layer runs that has two of them."""
        tensors = [each for each in args if isinstance(each, self.torch.Tensor)]
        if self.torch.is_grad_enabled():
            self.quiet.pop(module, None)
            if any(each.requires_grad for each in itertools.chain(tensors, module.parameters())):
                self.calls[module] = (name, root, module.training or root.training)
        elif module.training and root.training and tensors:
            seen = self.quiet.setdefault(module, set())
            seen.add(tensors[0].data_ptr())
            self.most_quiet[name, len(seen)] += 1

    def log_modes(self, ids):
        those = [each for each in self.calls.values() if ids & self.roots[each[1]]]
        if those:
            self.mode_log.append(
                (self.steps, any(training for _, _, training in those), [name for name, _, _ in those])
            )
        self.calls.clear()

    # hooks

    @contextlib.contextmanager
    def installed(self):
        """Install all hooks for a block, and remove them at its end."""
        from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
        from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

        torch, self.scheduling = self.torch, 0
        with contextlib.ExitStack() as stack:
            self.replace(stack, torch.autograd, "backward", self.backward)
            scaler = torch.amp.GradScaler
            for name, note in (("scale", self.scale), ("unscale_", self.unscale), ("step", self.scaler_step)):
                self.replace(stack, scaler, name, note)
            for each in classes_below(torch.optim.lr_scheduler.LRScheduler):
                if "step" in vars(each):
                    self.replace(stack, each, "step", self.schedule)
            for function in (torch.nn.utils.clip_grad_norm_, torch.nn.utils.clip_grad_value_):
                self.replace_within(stack, function, self.clip)
            handles = [register_optimizer_step_pre_hook(self.before_step)]
            handles.append(register_optimizer_step_post_hook(self.after_step))
            handles.append(register_module_forward_pre_hook(self.enter_module))
            handles.append(register_module_forward_hook(self.leave_module, always_call=True))
            for handle in handles:
                stack.callback(handle.remove)
            stack.callback(self.end_silence)
            stack.enter_context(self.operations.watched())
            yield

    def replace(self, stack, owner, name, note):
        original = vars(owner)[name]

        @functools.wraps(original)
        def replaced(*args, **kwargs):
            return note(original, *args, **kwargs)

        stack.callback(setattr, owner, name, original)
        setattr(owner, name, replaced)

    def replace_within(self, stack, function, note):
        """Replace what a wrapper calls, so that names that were imported before are watched as well."""
        cell = next(each for each in function.__closure__ if callable(each.cell_contents))
        original = cell.cell_contents
        stack.callback(setattr, cell, "cell_contents", original)
        cell.cell_contents = functools.wraps(original)(functools.partial(note, original))


def classes_below(cls):
    """Return a class and all that derive from it."""
    return [cls, *(each for below in cls.__subclasses__() for each in classes_below(below))]


def has_modes(torch, module):
    """Return whether a layer does one thing in training and another in use."""
    norms = torch.nn.modules.batchnorm._NormBase
    if isinstance(module, norms):
        return module.track_running_stats
    return bool(getattr(module, "p", 0) and isinstance(module, torch.nn.modules.dropout._DropoutNd)) or (
        isinstance(module, torch.nn.RNNBase) and module.dropout > 0
    )
