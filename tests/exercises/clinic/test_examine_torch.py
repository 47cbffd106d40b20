"""`examine` on PyTorch models: it does not accuse healthy ones, names ill ones, and leaves all unchanged."""

import functools
import random
import tomllib
from pathlib import Path

import numpy as np
import pytest

from exercises import examine
from exercises.clinic import examine_torch
from exercises.clinic.patients import faults
from exercises.clinic.torch_detached import held_back
from exercises.clinic.torch_harness import ModelHarness

MODELS = Path(__file__).with_name("models")


def read_model(name):
    return tomllib.loads((MODELS / f"{name}.toml").read_text(encoding="utf-8"))


HEALTHY = (
    read_model("healthy") | read_model("held_out_healthy") | read_model("more_healthy") | read_model("sixth_healthy")
)
ILL = (
    read_model("ill")
    | read_model("held_out_ill")
    | read_model("more_ill")
    | read_model("fifth_ill")
    | read_model("sixth_ill")
)


def examined(torch, entry):
    torch.manual_seed(0)
    made = {}
    exec((MODELS / "given.py").read_text(encoding="utf-8"), made)
    exec(entry["code"], made)
    return examine(made["model"], *made["given"], batch=made.get("batch"))


@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_torch_model_has_no_findings(torch, name):
    found = examined(torch, HEALTHY[name])
    assert "✗" not in repr(found), found
    assert found.sums[0].startswith("No reading is unhealthy." if "\n~" in repr(found) else "All ")


@pytest.mark.parametrize("name", ILL)
def test_faulty_torch_model_is_narrowed_to_three_causes(torch, name):
    said = examined(torch, ILL[name]).sums
    (named,) = [each.partition(" to: ")[2].rstrip(".") for each in said if " to: " in each]
    assert examine_torch.causes()[ILL[name]["cause"]][0] in named.split("; ") and named.count(";") <= 2


def test_model_lists_are_long_enough_and_causes_are_distinct():
    assert len(read_model("healthy")) >= 30 and len(read_model("ill")) >= 20
    assert len(read_model("held_out_healthy")) >= 12 and len(read_model("held_out_ill")) >= 12
    unseen = {"leakage", "other_scale", "wrong_measure"}  # of the test, or of what is measured: neither is given
    keys = {each["cause"] for each in ILL.values()}
    named = {examine_torch.causes()[key][0] for key in keys}
    assert (
        {faults()[key].cause for key in {*faults()} - unseen}
        <= named
        == {each[0] for each in examine_torch.causes().values()}
    )
    dials = {dial.name for _, _, those in examine_torch.MEASURES for dial in those}
    for _, shows, explains in examine_torch.causes().values():
        assert explains <= dials and shows


@pytest.fixture
def rows(torch):
    torch.manual_seed(0)
    x = torch.randn(128, 4)
    return [(x[i : i + 32], (x[i : i + 32, 0] > 0).long() + (x[i : i + 32, 1] > 0).long()) for i in range(0, 128, 32)]


@pytest.fixture
def model(torch):
    """Return a model with everything that could change: dropout, running means, a parameter that cannot learn."""
    nn = torch.nn
    made = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Dropout(0.1), nn.Linear(16, 3))
    made.register_parameter("scale", nn.Parameter(torch.ones(2), requires_grad=False))
    return made


def test_healthy_model_passes_with_any_optimizer(torch, model, rows):
    for make in (None, torch.optim.SGD, torch.optim.LBFGS):
        optimizer = make and make([p for p in model.parameters() if p.requires_grad], lr=0.1)
        found = examine(model, rows, torch.nn.CrossEntropyLoss(), optimizer)
        assert "✗" not in repr(found), found
        assert ("– Kept : fresh" in repr(found)) is (make is None)
        assert "6 of 6 reached. 1 more is frozen" in repr(found)
        assert found.html().count("<tr>") == len(examine_torch.MEASURES) + 1


def test_examine_numbers_match_pytorch(torch, rows):
    model = torch.nn.Linear(4, 3).double()
    x, y = rows[0][0].double(), rows[0][1]
    torch.nn.functional.cross_entropy(model(x), y).backward()
    size = model.weight.grad.pow(2).mean().sqrt().item()
    model.zero_grad()
    found = examine(model, [(x, y)], torch.nn.functional.cross_entropy)
    assert f"Sizes, first layer to last: {size:.3g}." in repr(found) and model.weight.grad is None


@pytest.mark.long
def test_examine_reads_faults_of_a_model(torch, rows):
    nn, loss, sgd = torch.nn, torch.nn.functional.cross_entropy, functools.partial(torch.optim.SGD, lr=0.1)
    whole, other = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3)), nn.Linear(4, 3)

    class Cut(nn.Sequential):
        def forward(self, x):
            return self[1](self[0](x).detach())

    cut = Cut(nn.Linear(4, 16), nn.Linear(16, 3))
    deep = nn.Sequential(*(layer for _ in range(10) for layer in (nn.Linear(4, 4), nn.Sigmoid())), nn.Linear(4, 3))
    step, heart, reached = "One small step", "Overfit eight rows", "Parameters reached"
    for model, loss_fn, optimizer, dials, said in [
        (
            *(whole, loss, sgd(whole[2].parameters()), {step: "between 0 and 1", "Kept : fresh": "not 1"}),
            "The optimizer does not have 2 of 4 parameters: 0.weight, 0.bias.",
        ),
        (whole, loss, sgd(whole.parameters(), maximize=True), {step: "-1", heart: "lost"}, ""),
        (whole, loss, sgd(other.parameters()), {step: "0", heart: "learned by other steps"}, ""),
        (
            *(cut, loss, None, {reached: "some", "Gradients": "not in all layers"}),
            "No gradient reaches these, though the loss changes with them: 0.weight, 0.bias.",
        ),
        (whole, lambda z, y: loss(z.softmax(dim=1), y), None, {"Loss of sure scores": "twice"}, ""),
        (whole, lambda scores, y: loss(scores.detach(), y), None, {reached: "none", step: "no gradient"}, ""),
        (deep, loss, None, {"Gradients": "fading"}, ""),
    ]:
        found = examine(model, rows, loss_fn, optimizer)
        assert {row.title: row.dials[0][1] for row in found.rows if row.title in dials} == dials
        assert said in repr(found)


def test_blocked_gradient_is_reported_without_a_verdict(torch, rows):
    """A target network's rule, a probe next to the head, a straight-through estimator, and a rule that is wrong."""
    nn, loss = torch.nn, torch.nn.functional.cross_entropy
    body, head, probe = nn.Linear(4, 16), nn.Linear(16, 3), nn.Linear(16, 3)

    class Halved(torch.autograd.Function):
        forward = staticmethod(lambda ctx, h: h.clone())
        backward = staticmethod(lambda ctx, upstream: upstream / 2)

    class Net(nn.Module):
        def __init__(self, of_hidden):
            super().__init__()
            self.parts, self.of_hidden = nn.ModuleList([body, head, probe]), of_hidden

        def forward(self, x):
            return self.of_hidden(body(x).tanh())

    def unlearned(h):
        with torch.no_grad():
            seen = probe(h)
        return head(h) + seen

    for net, word in (
        (Net(unlearned), "no_grad()"),
        (Net(lambda h: probe(h) + head(h.data)), ".data"),
        (Net(lambda h: head(Halved.apply(h))), ""),
    ):
        bench = ModelHarness(torch, net, rows, loss)
        bench.read()
        assert held_back(bench).partition(" stands")[0] == word
    for way, word in (
        (lambda h: head(h + (2 * h * h - h).detach()), "detach()"),
        (lambda h: head(Halved.apply(h)), ""),
    ):
        said = repr(examine(Net(way), rows, loss, torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.05)))
        assert ("✗ Gradient check" in said) is ("engine has a wrong rule" in said) is (not word), said
        assert f"{word} stands in the way of a gradient" in said if word else "stands in the way" not in said


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_examine_leaves_model_and_random_state_unchanged(torch, model, rows, name):
    kwargs = {"momentum": 0.9} if name == "SGD" else {}
    optimizer = getattr(torch.optim, name)([p for p in model.parameters() if p.requires_grad], lr=0.03, **kwargs)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for x, y in rows:
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    scheduler.step()
    model[3].eval()

    def state():
        numbers = [*model.state_dict().values(), *(p.grad for p in model.parameters() if p.grad is not None)]
        kept = [value for held in optimizer.state.values() for value in held.values()]
        return [torch.as_tensor(each).clone() for each in (*numbers, *kept, torch.get_rng_state())]

    def rest():
        groups = [{k: v for k, v in group.items() if k != "params"} for group in optimizer.param_groups]
        places = [id(p.grad) for p in model.parameters()]
        return groups, places, [module.training for module in model.modules()], scheduler.state_dict()

    model.calls = []  # what a model notes of itself
    model.register_forward_hook(lambda module, given, out: module.calls.append(1))
    drawn = np.random.get_state()[1].tolist(), random.getstate()
    numbers, others = state(), rest()
    found = examine(model, rows, torch.nn.CrossEntropyLoss(), optimizer)
    assert "✗" not in repr(found)
    assert [pair for pair in zip(numbers, state()) if not torch.equal(*pair)] == [] and others == rest()
    examine(model, rows, lambda scores, y: 1 / 0, optimizer)
    assert [pair for pair in zip(numbers, state()) if not torch.equal(*pair)] == []
    assert others == rest()
    assert model.calls == []
    assert drawn == (np.random.get_state()[1].tolist(), random.getstate())


def test_examine_preserves_scripted_mode_and_optimizer_hooks(torch, rows):
    model = torch.jit.script(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)))
    optimizer, calls = torch.optim.SGD(model.parameters(), lr=0.1), []
    optimizer.register_step_post_hook(lambda *given: calls.append(1))
    assert "could not be read" not in repr(examine(model, rows, torch.nn.CrossEntropyLoss(), optimizer))
    assert [module for module in model.modules() if not module.training] == [] and calls == []
    optimizer.step()
    assert calls == [1]


def test_nan_gradient_is_named_with_its_first_parameter(torch, rows):
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    loss = torch.nn.functional.cross_entropy
    said = repr(examine(model, rows, lambda z, y: loss(z, y) + (model[2].weight * 0).square().sum().sqrt()))
    assert "there is nan in the gradient of 2.weight." in said and "a root of 0" in said


def test_loader_with_its_own_generator_is_unaffected(torch, model):
    x, y = torch.randn(60, 4), torch.randint(0, 3, (60,))
    data, generator = torch.utils.data.TensorDataset(x, y), torch.Generator().manual_seed(3)
    loader = torch.utils.data.DataLoader(data, 20, shuffle=True, generator=generator)
    before = torch.get_rng_state()
    examine(model, loader, torch.nn.CrossEntropyLoss())
    examine(model, torch.utils.data.DataLoader(data, 20, shuffle=True), torch.nn.CrossEntropyLoss())
    assert torch.get_rng_state().equal(before)
    assert torch.rand(9, generator=generator).equal(torch.rand(9, generator=torch.Generator().manual_seed(3)))


def test_pairs_and_batch_functions_work_like_a_loader(torch, model, rows):
    loss, pair = torch.nn.CrossEntropyLoss(), rows[0]
    one = examine(model, pair, loss)
    assert repr(one) == repr(examine(model, [pair], loss))
    dicts = [{"in": x, "out": y} for x, y in rows]
    by_function = examine(model, dicts, loss, batch=lambda found: (found["in"], found["out"]))
    assert repr(by_function) == repr(examine(model, rows, loss))
    with pytest.raises(TypeError, match="it returned int"):
        examine(model, rows, loss, batch=lambda found: 3)
    with pytest.raises(ValueError, match="batch raised KeyError: 'x'"):
        examine(model, dicts, loss, batch=lambda found: found["x"])
    with pytest.raises(TypeError, match="batch is a function"):
        examine(model, rows, loss, batch=3)


def test_modes_and_random_losses_are_reported(torch, rows):
    nn, loss = torch.nn, torch.nn.CrossEntropyLoss()
    model = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.5), nn.Linear(16, 3))
    assert "From here on it is read with the same random numbers." in repr(examine(model, rows, loss))
    said = repr(examine(model.eval(), rows, loss))
    assert "It is in eval mode. That matters to: Dropout." in said and "✗" not in said
    own = torch.Generator().manual_seed(0)

    class Noisy(nn.Linear):
        def forward(self, x):
            return super().forward(x + 0.1 * torch.randn(x.shape, generator=own))

    found = examine(Noisy(4, 3), rows, loss)
    assert "although the usual random numbers were the same" in found.sums[1] and "✗" not in repr(found)
    assert "Left out, because the loss is random." in repr(found)


def test_readings_fit_the_kind_of_model_and_loss(torch, rows):
    nn, loss = torch.nn, torch.nn.CrossEntropyLoss()
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
    found = repr(examine(model, rows, nn.CrossEntropyLoss(label_smoothing=0.2), torch.optim.Adam(model.parameters())))
    assert "guessing gives ln 3 = 1.099" in found and "in a step of Adam, shortened" in found
    assert "the loss's own floor there is 0.485" in found
    nesterov = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1)
    found = examine(model, rows, loss, nesterov)
    (share,) = [row.dials[0][1] for row in found.rows if row.title == "One small step"]
    old, (x, y) = [p.detach().clone() for p in model.parameters()], rows[0]
    loss(model(x), y).backward()
    nesterov.step()
    now = [float((p.detach() - was).norm() / was.norm()) for p, was in zip(model.parameters(), old)][::2]
    assert share == "1" and f"First layer to last: {now[0]:.3g}, {now[1]:.3g}." in repr(found)
    table = nn.Sequential(nn.Embedding(9, 4, sparse=True), nn.Flatten())
    ids = torch.arange(9).repeat(4)
    assert "Sparse gradients: 0.weight." in repr(examine(table, (ids, ids % 3), loss))


@pytest.mark.long
def test_unjudged_readings_say_why(torch, rows):
    """Rows that are mixed, targets that are far, a network in the loss; and what a loss of probabilities takes."""
    nn, loss = torch.nn, torch.nn.CrossEntropyLoss()

    class Mixed(nn.Linear):
        def forward(self, x):
            return super().forward(x.softmax(0))

    def examined_text(model, *given):
        found = examine(model, *given)
        assert "✗" not in repr(found), found
        return repr(found)

    assert "scores depend on the other rows" in "".join(examine(Mixed(4, 3), rows, loss).sums)
    x, y = rows[0]
    assert "are up to 1" in examined_text(nn.Linear(4, 1), (x, 100 + x[:, :1]), nn.MSELoss())
    critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    told = examined_text(nn.Linear(4, 2), rows, lambda z, y: nn.functional.softplus(critic(z)).mean())
    assert "has 4 leaves, which this optimizer does not move" in told
    told = examined_text(nn.Sequential(nn.Linear(4, 1), nn.Sigmoid()), (x, (y[:, None] > 0).float()), nn.BCELoss())
    assert "0.693 where all shares are a half" in told and "the loss takes probabilities" in told
    pairs = [((x, x), {"labels": y}) for x, y in rows]
    two = nn.Bilinear(4, 4, 3)
    two.forward = lambda both: nn.functional.bilinear(*both, two.weight, two.bias)
    examined_text(two, pairs, lambda z, y: loss(z, y["labels"]))
    told = examine(nn.Linear(4, 2), rows, loss)  # three classes
    assert repr(told).count("Target 2 is out of bounds") == 1
    assert repr(told).count("The same error as for “The same rows twice”.") > 5


def test_model_that_cannot_run_reports_the_error(torch, model, rows):
    found = examine(model, [(torch.ones(3, 5), torch.zeros(3).long())], torch.nn.CrossEntropyLoss())
    assert "It raised RuntimeError" in repr(found) and "instruments could not be read" in repr(found)
    found = examine(model, rows, lambda scores, y: scores)
    assert "the loss is one number" in repr(found)


def map_of_errors(torch):

    class Rows(torch.utils.data.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return {}[3]

    return torch.utils.data.DataLoader(Rows())


def test_wrong_argument_types_raise_messages(torch, model, rows):
    loss = torch.nn.CrossEntropyLoss()
    for given, kind, said in [
        ((model,), TypeError, "loss_fn is a function"),
        ((model, rows), TypeError, "loss_fn is a function"),
        ((model, None, loss), TypeError, "loader yields batches"),
        ((model, 3, loss), TypeError, "loader yields batches"),
        ((model, iter(rows), loss), TypeError, "can be read only once"),
        ((model, [], loss), TypeError, "batches .x, y. of two tensors"),
        ((model, [3], loss), TypeError, "batches .x, y. of two tensors"),
        ((model, rows, torch.nn.CrossEntropyLoss), TypeError, r"write nn.CrossEntropyLoss\(\)"),
        ((model, rows, loss, "SGD"), TypeError, "one of torch.optim"),
        ((model, map_of_errors(torch), loss), ValueError, "the loader raised KeyError: 3"),
        ((3, rows, loss), TypeError, "model is a torch.nn.Module"),
        ((torch.nn.Tanh(), rows, loss), ValueError, "no parameters"),
        ((torch.nn.LazyLinear(3), rows, loss), ValueError, "lazy parameters"),
    ]:
        with pytest.raises(kind, match=said):
            examine(*given)
