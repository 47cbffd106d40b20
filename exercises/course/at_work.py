"""The programs of the workshop `at_work`, in two columns: (a line here, the line in PyTorch)."""

NETWORK = """\
class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(64, 32)
        self.last = nn.Linear(32, 10)

    def forward(self, x):
        return self.last(self.hidden(x).relu())"""

LOOP = """\
rng = np.random.RandomState(0)
for epoch in range(10):
    order = rng.permutation(1400)
    for start in range(0, 1400, 50):
        loss = loss_of(order[start : start + 50])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()"""

THEIR_LOOP = """\
net.train()
for epoch in range(10):
    for rows, right in loader:
        loss = loss_fn(net(rows), right)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()"""

RULE = """\
class Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, axis):
        ctx.save_for_backward(x)
        ctx.axis = axis
        return x.sum(axis)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return torch.tensor(sum_vjp(x.numpy(), upstream.numpy(), ctx.axis)), None"""


def leaf(number):
    """Return the line that makes a leaf a, here and in PyTorch."""
    return f"a = autograd.Value({number})", f"a = torch.tensor({number}, requires_grad=True)"


def same_lines(*lines):
    """Return lines that are the same in both columns."""
    return tuple((line, line) for line in lines)


PROGRAMS = {
    "the digits loop": (
        (
            "import numpy as np\nfrom autograd.lessons.digits import load_digits, network, scores",
            "from torch import nn\nfrom torch.utils.data import DataLoader, TensorDataset\n"
            "from autograd.lessons.digits import load_digits, network",
        ),
        (
            "digits = load_digits()\nx, labels = digits.train, digits.train_labels",
            "digits = load_digits()\nx = torch.tensor(digits.train.tolist())\n"
            "labels = torch.tensor(digits.train_labels.tolist())",
        ),
        ("x.dtype", "x.dtype"),
        ("", "torch.manual_seed(0)\nloader = DataLoader(TensorDataset(x, labels), batch_size=50, shuffle=True)"),
        ("parameters = network()", NETWORK),
        (
            "",
            "net = Network()\nwith torch.no_grad():  # the same start\n"
            "    for p, ours in zip(net.parameters(), network()):\n        p.copy_(torch.tensor(ours.data.T.tolist()))",
        ),
        (
            "def loss_of(rows):\n    z = scores(x[rows], *parameters)\n"
            "    return z.softmax_cross_entropy(labels[rows])",
            "loss_fn = nn.CrossEntropyLoss()",
        ),
        ("f'{float(loss_of(range(1400))):.4f}'", "f'{loss_fn(net(x), labels).item():.4f}'"),
        ("optimizer = autograd.SGD(parameters, lr=0.5)", "optimizer = torch.optim.SGD(net.parameters(), lr=0.5)"),
        (LOOP, THEIR_LOOP),
        (
            "answers = scores(digits.test, *parameters).data.argmax(axis=1)",
            "net.eval()\nwith torch.no_grad():\n    answers = net(torch.tensor(digits.test.tolist())).argmax(dim=1)",
        ),
        (
            "f'{(answers == digits.test_labels).mean():.2f}'",
            "f'{(answers == torch.tensor(digits.test_labels.tolist())).float().mean():.2f}'",
        ),
        (
            "kept = [p.data.copy() for p in parameters]",
            "kept = net.state_dict()  # torch.save(kept, 'digits.pt') writes it\nother = Network()\n"
            "other.load_state_dict(kept)",
        ),
        ("[each.shape for each in kept]", "{name: tuple(each.shape) for name, each in kept.items()}"),
    ),
    "two modes": (
        ("", "drop, ones = torch.nn.Dropout(0.5), torch.ones(8)"),
        ("", "torch.manual_seed(0)\nat_work = drop(ones)"),
        ("", "at_work"),
        ("", "drop.eval()\nasleep = drop(ones)"),
        ("", "asleep"),
        ("", "w = torch.tensor(2.0, requires_grad=True)\nwith torch.no_grad():\n    y = w * w"),
        ("", "y.requires_grad, y.grad_fn"),
    ),
    "no gradient": (
        ("w = autograd.Value(2.0) * 0.1", "w = torch.tensor(2.0, requires_grad=True) * 0.1"),
        *same_lines("(w * w).backward()", "w.grad"),
        ("w = autograd.Value(2.0 * 0.1)", "w = (torch.tensor(2.0) * 0.1).requires_grad_()"),
        *same_lines("(w * w).backward()", "w.grad"),
    ),
    "in place": (
        leaf(1.0),
        *same_lines("h = a.exp()", "h += 1", "h.backward()", "a.grad"),
        *same_lines("h = a.exp()", "h = h + 1", "h.backward()", "a.grad"),
    ),
    "a graph that is freed": (
        leaf(1.0),
        *same_lines("y = a.exp()", "y.backward()", "y.backward()", "a.grad"),
        ("", "y = a.exp()\ny.backward(retain_graph=True)\ny.backward()"),
        ("", "a.grad"),
    ),
    "a graph that is cut": (
        leaf(1.0),
        ("total = autograd.Value((a * 3).data)", "total = torch.tensor((a * 3).item())"),
        *same_lines("total.backward()", "a.grad"),
        ("", "(a * 3).numpy()"),
    ),
    "softmax, and softmax twice": (
        (
            "import numpy as np\nfrom autograd.tensor import Tensor",
            "from torch.nn import CrossEntropyLoss",
        ),
        ("sure, labels = 100 * np.eye(10), np.arange(10)", "sure, labels = 100 * torch.eye(10), torch.arange(10)"),
        (
            "f'{float(Tensor(sure).softmax_cross_entropy(labels)):.4f}'",
            "f'{CrossEntropyLoss()(sure, labels).item():.4f}'",
        ),
        (
            "f'{float(Tensor(sure).softmax().softmax_cross_entropy(labels)):.4f}'",
            "f'{CrossEntropyLoss()(sure.softmax(dim=1), labels).item():.4f}'",
        ),
    ),
    "a rule of your own": (
        ("import numpy as np\nfrom autograd.tensor import Tensor", RULE),
        (
            "x = Tensor([[1.0, -2.0, 3.0], [0.0, 4.0, 0.5], [2.0, 1.0, -1.0]])",
            "x = torch.tensor([[1.0, -2.0, 3.0], [0.0, 4.0, 0.5], [2.0, 1.0, -1.0]]).double().requires_grad_()",
        ),
        ("y = (x.sum(axis=1) * [1.0, 2.0, 3.0]).sum()", "y = (Sum.apply(x, 1) * torch.tensor([1.0, 2.0, 3.0])).sum()"),
        *same_lines("y.backward()", "x.grad.tolist()[0], x.grad.tolist()[2]"),
        ("", "torch.autograd.gradcheck(lambda x: Sum.apply(x, 1), x) is True"),
        (
            "",
            "def sum_vjp(x, upstream, axis):  # without the axis put back\n    return upstream + 0 * x",
        ),
        ("", "torch.autograd.gradcheck(lambda x: Sum.apply(x, 1), x) is True"),
    ),
}
