"""`watch` on training loops: it does not accuse healthy ones, names ill ones, and changes none of their numbers."""

import json
import linecache
import random
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import exercises

LOOPS, ROOT = Path(__file__).with_name("loops"), Path(__file__).parents[3]


def listed(*names):
    return {k: v for name in names for k, v in tomllib.loads((LOOPS / f"{name}.toml").read_text("utf-8")).items()}


HEALTHY, ILL = listed("healthy", "held_out_healthy"), listed("ill", "held_out_ill")
EASY = """
for x, y in batches:
    opt.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    opt.step()
"""


def prepared(entry):
    """Return the names of a loop before it runs, and its compiled code."""
    random.seed(0), np.random.seed(0)
    names = {}
    exec((LOOPS / "given.py").read_text(encoding="utf-8"), names)
    exec(entry.get("make", ""), names)
    text = entry["loop"]
    linecache.cache["loop.py"] = len(text), None, text.splitlines(keepends=True), "loop.py"
    return names, compile(text, "loop.py", "exec")


def watched(entry):
    names, code = prepared(entry)
    with exercises.watch(names["model"], names["opt"]) as seen:
        exec(code, names)
    return seen, names


def is_named(seen, entry):
    """Return whether the expected reading is ill, with the expected word and evidence."""
    (row,) = [row for row in seen.readings if row.title == entry["row"]]
    return row.sign == "✗" and row.dials[0][1] == entry["word"] and entry.get("says", "") in row.says


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_loop_is_not_accused(torch, name):
    seen, _ = watched(HEALTHY[name])
    assert seen.ok and seen.exit_code == 0 and "✗" not in repr(seen), seen
    assert not seen._recorder.trouble


@pytest.mark.filterwarnings("ignore")
def test_ill_loops_are_named(torch):
    missed = [name for name, entry in ILL.items() if not is_named(watched(entry)[0], entry)]
    assert missed == ["encoder_through_numpy"]  # what NumPy calculates is not seen
    assert {entry["row"] for entry in ILL.values()} == {row.title for row in watched({"loop": EASY})[0].readings}


def test_the_lists_are_as_long_as_they_should_be():
    assert len(listed("healthy")) >= 40 and len(listed("ill")) >= 30
    assert len(listed("held_out_healthy")) >= 15 and len(listed("held_out_ill")) >= 15


def state_of(torch, names):
    """Return all numbers that a loop leaves behind, and the states of the generators, as bytes."""
    models, optimizers = (each if isinstance(each, list) else [each] for each in (names["model"], names["opt"]))
    tensors = [tensor for model in models for tensor in model.state_dict().values()]
    tensors += [p.grad.to_dense() for model in models for p in model.parameters() if p.grad is not None]
    states = [state for optimizer in optimizers for state in optimizer.state.values()]
    tensors += [each for state in states for each in state.values() if isinstance(each, torch.Tensor)]
    tensors += [each.detach() for each in [names.get("loss")] if isinstance(each, torch.Tensor)]
    bits = [(each.dtype, each.contiguous().reshape(-1).view(torch.uint8).tolist()) for each in tensors]
    return bits, torch.get_rng_state().tolist(), random.getstate(), np.random.get_state()[1].tolist()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HEALTHY | ILL)
def test_numbers_and_random_state_are_the_same_to_the_last_bit(torch, name):
    names, code = prepared((HEALTHY | ILL)[name])
    exec(code, names)
    without = state_of(torch, names)
    assert state_of(torch, watched((HEALTHY | ILL)[name])[1]) == without


def patched(torch):
    """Return everything that the watch replaces."""
    steps = sys.modules["torch.optim.optimizer"]
    clips = torch.nn.utils.clip_grad_norm_, torch.nn.utils.clip_grad_value_
    return (
        torch.autograd.backward,
        [vars(torch.amp.GradScaler)[name] for name in ("scale", "unscale_", "step")],
        [vars(each).get("step") for each in vars(torch.optim.lr_scheduler).values() if isinstance(each, type)],
        [cell.cell_contents for function in clips for cell in function.__closure__],
        dict(steps._global_optimizer_pre_hooks),
        dict(steps._global_optimizer_post_hooks),
        torch.overrides._get_current_function_mode_stack(),
    )


def test_hooks_are_gone_at_the_end_even_if_the_loop_raises(torch):
    names, code = prepared({"loop": "opt.zero_grad()\nloss_fn(model(X), Y).backward()\nopt.step()\n1 / 0"})
    before, model = patched(torch), names["model"]
    with pytest.raises(ZeroDivisionError), exercises.watch(model, names["opt"]) as seen:
        assert patched(torch) != before
        exec(code, names)
    assert patched(torch) == before and not any(each._forward_hooks for each in model.modules())
    assert "Watched 1 step and 1 backward pass." in repr(seen)
    names["opt"].step = None
    with pytest.raises(TypeError), exercises.watch(model, names["opt"]):
        names["opt"].step()
    assert patched(torch) == before


def test_an_optimizer_that_raises_leaves_later_operations_watched(torch):
    names, code = prepared({"loop": EASY})
    names["opt"].param_groups[0]["lr"] = "fast"
    with pytest.raises(TypeError), exercises.watch(names["model"], names["opt"]):
        exec(code, names)
    assert torch._C._is_torch_function_enabled() and not torch._C._is_torch_function_all_disabled()


def test_readings_as_text_html_and_exit_code(torch):
    seen, _ = watched({"loop": EASY.replace("    opt.zero_grad()\n", "")})
    assert not seen.ok and seen.exit_code == 1
    assert repr(seen).startswith(
        "Watched 20 steps and 20 backward passes.\n1 of 10 readings is not what a healthy loop"
    )
    assert "✗ Gradients cleared: At 19 of 20 steps" in repr(seen)
    assert seen._repr_html_().count("<tr>") == 11 and "zero_grad() is missing" in seen._repr_html_()


def test_what_could_not_be_measured_says_why(torch):
    seen, _ = watched({"loop": "loss_fn(model(X), Y).backward()"})
    assert seen.exit_code == 2 and not seen.ok
    assert {row.sign for row in seen.readings} == {"–"}
    assert all("the optimizer took no step" in row.says for row in seen.readings)
    seen, _ = watched({"loop": EASY, "make": "batches = batches[:1]"})
    says = {row.title: row.says for row in seen.readings}
    assert says["Clipping"].startswith("Could not be measured: clip_grad_norm_")
    assert says["Gradients cleared"].endswith("one step does not show what becomes of its gradient.")


def test_a_watched_model_can_be_copied_and_saved(torch, tmp_path):
    loop = EASY + "    torch.save(model, path)\n    other = copy.deepcopy(model)\n    other(x)\n"
    seen, names = watched({"loop": loop, "make": f"path = {str(tmp_path / 'model.pt')!r}"})
    assert seen.ok and not names["other"]._forward_pre_hooks


def test_a_fault_of_the_recorder_stays_out_of_the_loop(torch, monkeypatch):
    from exercises.clinic import watch_ledger

    monkeypatch.setattr(watch_ledger.Ledger, "end_step", lambda self: 1 / 0)
    seen, names = watched({"loop": EASY})
    assert "the recorder failed in end_step: ZeroDivisionError" in repr(seen) and names["loss"] < 1.2


def test_what_cannot_be_watched_gets_a_sentence(torch, monkeypatch):
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for given, said in (
        ((3, optimizer), "model is a torch.nn.Module, or a list of them, as in exercises.watch.*; got int"),
        ((model, None), "optimizer is one of torch.optim, or a list of them, as in .*; got NoneType"),
        ((model, torch.optim.SGD), "got the class SGD"),
        ((model, []), "got NoneType"),
        ((optimizer, model), "model is .*; got SGD"),
    ):
        with pytest.raises(TypeError, match=said):
            exercises.watch(*given)
    with pytest.raises(ValueError, match="lazy parameters"):
        exercises.watch(torch.nn.LazyLinear(2), optimizer)
    seen = exercises.watch(model, optimizer)
    with seen:
        pass
    with pytest.raises(ValueError, match="one watch is for one block"), seen:
        pass
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="needs PyTorch, which is not installed here"):
        exercises.watch(model, optimizer)


def test_the_workshop_quotes_what_its_loop_gives(torch):
    notebook = json.loads((ROOT / "notebooks/workshops/at_work.ipynb").read_text(encoding="utf-8"))
    (text,) = ["".join(cell["source"]) for cell in notebook["cells"] if "exercises.watch" in "".join(cell["source"])]
    code, quoted = re.findall(r"```\w*\n(.*?)```", text[text.index("### The loop itself") :], re.DOTALL)
    names, _ = prepared({"loop": ""})
    names |= {"exercises": exercises, "optimizer": names["opt"], "loader": names["batches"]}
    exec(code.replace("print(watched)", ""), names)
    quoted = re.sub(r"\n  ", " ", quoted).strip().splitlines()
    assert len(quoted) == 2 and {*quoted} <= {*repr(names["watched"]).splitlines()}
