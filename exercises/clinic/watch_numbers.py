"""Which operations a loop calls: the first that is not finite, where a graph is cut, and what a loss is a mean of."""

import contextlib
import linecache
import math
import os
from collections import deque

MOST = 4096  # operations that are remembered since the last step
DEEP = 12  # nodes from a loss down in which its mean is looked for
SINGULAR = {
    "sqrt",
    "pow",
    "__pow__",
    "std",
    "var",
    "acos",
    "asin",
    "cdist",
    "pairwise_distance",
    "norm",
}  # slope at 0 or 1
CONSTANT = ("masked_fill", "full", "__setitem__", "where", "triu", "tril")  # which may put an inf in on purpose
CARRIES = ("Neg", "View", "Unsafe", "Squeeze", "Unsqueeze", "Clone", "ToCopy", "Reshape", "Select", "Alias")


class Operations:
    """The operations since the last step, and what was noticed among them."""

    def __init__(self, recorder):
        self.recorder, self.torch = recorder, recorder.torch
        self.recent, self.cuts = deque(maxlen=MOST), {}
        self.used, self.strangers, self.cut_sites = set(), {}, []
        self.first, self.why_not = None, ""

    def forget(self):
        self.recent.clear()
        self.cuts.clear()

    @contextlib.contextmanager
    def watched(self):
        """See each operation that Python calls within the block, if the model is not compiled."""
        from torch.overrides import TorchFunctionMode

        torch, operations = self.torch, self

        class Mode(TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                result = function(*args, **(kwargs or {}))
                kind = type(result)
                if kind is torch.Tensor or kind is tuple:
                    operations.note(function, args, kwargs, result)
                return result

        script = torch.jit.ScriptModule
        models = self.recorder.models
        compiled = [each for each in models if "Optimized" in type(each).__name__ or isinstance(each, script)]
        if compiled:
            self.why_not = "the model is compiled, and its operations are not called one by one"
            yield
            return
        with Mode():
            yield

    def note(self, function, args, kwargs, result):
        try:
            torch, name = self.torch, function.__name__
            if type(result) is tuple:
                result = next((each for each in result if type(each) is torch.Tensor), None)
            if result is None or not result.is_floating_point() or result.layout is not torch.strided:
                return
            if not result.requires_grad:
                if name == "detach" or (name == "__get__" and function == torch.Tensor.data.__get__):
                    given = args[0]
                    if given.requires_grad and given.grad_fn is not None and given.numel() > 1:
                        self.cuts[id(result)] = result, self.recorder.sites(1)
                return
            if name == "__get__" or torch._C._functorch.peek_interpreter_stack() is not None:
                return
            site = self.recorder.sites(1)
            for each in flat((*args, *kwargs.values()) if kwargs else args):
                if each.requires_grad:
                    if type(each) is torch.nn.Parameter:
                        self.used.add(id(each))
                        if self.recorder.depth and id(each) not in self.recorder.names:
                            self.strangers[id(each)] = each, site
                    continue
                if id(each) in self.cuts:
                    self.cut_sites.append(self.cuts[id(each)][1])
                if each.is_floating_point() and each.dim():
                    self.recent.append((total(torch, each), "data", name, site, None))
            self.recent.append(
                (total(torch, result), "result", name, site, result.detach() if singular(name, args) else None)
            )
        except Exception as fault:
            self.why_not = f"the recorder failed at an operation: {type(fault).__name__}: {fault}"

    def found(self, step, what, root=None):
        """Describe the first operation that is not finite, once; what: the loss or a gradient, in which it is seen."""
        if self.first:
            return
        finite = [math.isfinite(x) for x in self.weights()]
        said = f"At step {step + 1}, {what} is not finite."
        if not all(finite):
            self.first = f"{said} The weights were not finite already: the step before, or the start, made them so."
            return
        sums = self.torch.stack([each[0].float().cpu() for each in self.recent]).tolist() if self.recent else []
        those = [(x, each) for x, each in zip(sums, self.recent) if not math.isfinite(x)]
        nan = next((each for x, each in those if math.isnan(x)), None)
        infinite = next((each for x, each in those if not math.isnan(x) and each[2] not in CONSTANT), None)
        if nan or infinite:
            kinds = [f"{x} {place(each)}" for x, each in those if each is nan or each is infinite]
            self.first = f"{said} First: {'; then '.join(kinds)}."
            return
        zero = [each for each in self.recent if each[4] is not None and bool((each[4] == 0).any())]
        if zero:
            self.first = (
                f"{said} All forward results are finite, but there is a 0 {place(zero[0])}, where the slope is not."
            )
            return
        self.first = (
            f"{said} Which operation it was could not be measured{': ' + self.why_not if self.why_not else ''}."
        )

    def weights(self):
        ledger = self.recorder.ledgers[0]
        return ledger.sizes([(p, p.detach()) for p in self.recorder.named.values() if p.is_floating_point()])


def singular(name, args):
    """Return whether a function has no finite slope where its result is 0."""
    power = args[1] if "pow" in name and len(args) > 1 else 0
    return name in SINGULAR and (not isinstance(power, int | float) or power < 1)


def flat(args):
    """Yield the tensors among arguments, and in lists and tuples of them."""
    for each in args:
        if isinstance(each, list | tuple):
            yield from flat(each)
        elif hasattr(each, "requires_grad"):
            yield each


def total(torch, tensor):
    """Return the sum of a tensor, which is not finite if one of its numbers is not."""
    tensor = tensor.detach()
    return tensor.sum(dtype=torch.float32) if tensor.element_size() < 4 else tensor.sum()


def place(operation):
    """Return an operation and its line as words."""
    _, role, name, site, _ = operation
    name = name.strip("_")
    line = ""
    if site:
        (file, number) = site[0]
        text = linecache.getline(file, number).strip()
        line = f" ({os.path.basename(file)}, line {number}{': ' + text if text else ''})"
    return f"in the data given to {name}{line}" if role == "data" else f"from {name}{line}"


def loss_of_graph(node):
    """Return what a loss is, "mean", "sum" or "unknown", and the constant factor that it is multiplied by."""
    return explore(node, 1.0, DEEP)


def explore(node, factor, depth):
    name, below = node.name(), [each for each, _ in node.next_functions if each is not None]
    reduction = getattr(node, "_saved_reduction", None)
    if reduction in (1, 2):
        rows = node._saved_self.shape[0] if node._saved_self.dim() else 1
        return ("mean" if rows > 1 else "unknown") if reduction == 1 else "sum", factor
    if name.startswith("Mean"):
        return "mean" if node._saved_self_sym_sizes[0] > 1 else "unknown", factor
    if name.startswith("Sum"):
        return "sum", factor
    if not depth or not below:
        return "unknown", factor
    if name in ("DivBackward0", "MulBackward0") and len(below) == 1:
        other = node._saved_other
        if other is None or other.numel() > 1:
            return "unknown", factor
        other = abs(float(other))
        factor = factor * other if name == "MulBackward0" else factor / other if other else factor
        return explore(below[0], factor, depth - 1)
    if name.startswith(("Add", "Sub")) or (len(below) == 1 and name.startswith(CARRIES)):
        kinds = [explore(each, factor, depth - 1) for each in below]
        means = [each for each in kinds if each[0] == "mean"]
        return max(means or kinds, key=lambda each: each[1])
    return "unknown", factor
