"""Find what blocks gradients in a PyTorch loss: each detach, .data and no_grad used while it is computed."""

from unittest.mock import patch

from exercises.clinic.torch_harness import each_tensor

NOT_JUDGED = (
    "{} stands in the way of a gradient. Nudging goes past it, and the gradient does not. If that is meant, as in "
    "a target network or a straight-through estimator, the two may differ, so this is not judged."
)


def held_back(bench):
    """Return a sentence on what holds a gradient back while the loss is computed; "" if nothing does.

    The forward of a torch.autograd.Function, which runs without a graph, does not count.
    """
    torch, found, inside = bench.torch, [], []
    cuts = {torch.Tensor.detach: "detach()", torch.Tensor.detach_: "detach_()", torch.Tensor.data.__get__: ".data"}
    enter, leave = torch.no_grad.__enter__, torch.no_grad.__exit__

    def entered(self):
        inside.append(self)
        enter(self)

    def left(self, *error):
        inside.pop()
        leave(self, *error)

    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            learns = any(each.requires_grad for each in each_tensor([*args]))
            cut = "no_grad()" if inside else cuts.get(func, "") if torch.is_grad_enabled() else ""
            made = func(*args, **(kwargs or {}))
            if learns and cut and each_tensor([made]):
                found.append(cut)
            return made

    with patch.multiple(torch.no_grad, __enter__=entered, __exit__=left), Watch():
        bench.loss()
    return NOT_JUDGED.format(found[0]) if found else ""
