"""`examine` for a PyTorch model: run its instruments one after the other, and name the causes that fit the readings."""

import functools
import tomllib
import warnings
from dataclasses import replace
from pathlib import Path

from exercises.clinic import torch_data as data
from exercises.clinic import torch_loss as of_loss
from exercises.clinic import torch_overfit as heart
from exercises.clinic import torch_scores as scores
from exercises.clinic import torch_steps as steps
from exercises.clinic import torch_training as training
from exercises.clinic.instruments import leftover
from exercises.clinic.overview import SECONDS, TIMEOUT, Overview, Row, called_off
from exercises.clinic.patients import faults
from exercises.clinic.torch_harness import WAY, ModelHarness
from exercises.sandbox.guard import AnswerError, NotAttempted, run_guarded, trying

CAUSES = Path(__file__).with_name("torch_causes.toml")
TOLD = "The loss is random", "The model keeps", "It is in eval mode.", "In eval mode, too"  # not judged, but important
ALIKE = 70  # characters: errors that begin with the same ones count as the same
HARMLESS = "usual", "little", "far", None
MANY = 3  # the most causes that are named

MEASURES = (  # (title, the function that reads, its dials); some depend on what the first one finds
    ("The same rows twice", data.twice, ()),
    ("Modes", data.modes, (data.meanwhile, data.in_use)),
    ("Inputs", data.inputs, (data.scale, data.change)),
    ("Batches", data.batches, (data.mixture, data.labels, data.normed)),
    ("Weights", training.weights, (training.spread, training.units)),
    ("First loss", training.first_loss, (training.start,)),
    ("Loss of sure scores", of_loss.softmax, (of_loss.softmaxes, of_loss.shares, of_loss.taken)),
    ("Ends of the scores", scores.ends, (scores.wide,)),
    ("Row by row", of_loss.rows, (of_loss.counted, of_loss.shapes, of_loss.total)),
    ("Rows apart", scores.neighbours, (scores.apart, scores.unseen)),
    ("Each row alone", data.lonely, (data.outlier,)),
    ("Parameters reached", training.parameters, (training.reached, training.leaves)),
    ("Gradients", training.layers, (training.flow,)),
    ("Step : weights", training.step, (training.reach, training.decay)),
    ("One small step", steps.small_step, (steps.ratio,)),
    ("Gradient check", steps.check, (steps.agreement,)),
    ("Kept : fresh", steps.kept, (leftover,)),
    ("Overfit eight rows", heart.by_heart, (heart.memory, heart.beaten)),
)


def examine_model(model, loader, loss_fn, optimizer=None, batch=None):
    """Return the Overview of a PyTorch model, and leave the model unchanged."""
    try:
        import torch
    except ImportError:
        raise ImportError(
            f"{WAY} needs PyTorch, which is not installed here. Programs on your own engine don't."
        ) from None
    check_types(torch, model, loader, loss_fn, optimizer, batch)
    bench = ModelHarness(torch, model, loader, loss_fn, optimizer, batch)
    rows = []
    with bench.kept_as_it_was(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of what the instruments find, such as odd shapes
        bench.read()
        for title, measure, dials in MEASURES:
            with bench.kept_as_it_was():
                rows.append(row(title, measure, dials, bench))
        rows = tempered(shortened(rows))
    return Overview(tuple(rows), tuple(summed(rows)))


def check_types(torch, model, loader, loss_fn, optimizer, batch):
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"model is a torch.nn.Module, as in {WAY}; got {type(model).__name__}.")
    if isinstance(loss_fn, type):
        raise TypeError(f"loss_fn is a class; create a loss function from it: write nn.{loss_fn.__name__}().")
    if not callable(loss_fn):
        raise TypeError(f"loss_fn is a function of (scores, y), as in {WAY}; got {type(loss_fn).__name__}.")
    if optimizer is not None and not isinstance(optimizer, torch.optim.Optimizer):
        raise TypeError(f"optimizer is one of torch.optim, or is left out; got {type(optimizer).__name__}.")
    if batch is not None and not callable(batch):
        raise TypeError(f"batch is a function that makes (rows, targets) from a batch; got {type(batch).__name__}.")
    if not hasattr(type(loader), "__iter__"):
        raise TypeError(f"loader yields batches (x, y), like a DataLoader or a list; got {type(loader).__name__}.")
    if hasattr(type(loader), "__next__"):  # iter() would draw from its generator
        raise TypeError(
            "loader can be read only once, and examining it would use it up. A DataLoader or a list will do."
        )
    if not list(model.parameters()):
        raise ValueError("this model has no parameters: there is nothing to examine.")
    if any(map(torch.nn.parameter.is_lazy, model.parameters())):
        raise ValueError("this model has lazy parameters, which have no shape yet. Run it once on a batch first.")


def row(title, measure, dials, bench):
    """Return the Row of an instrument; a failed one if the model cannot be run."""

    def tried():
        with trying(title, alone=False):  # a loader may have workers
            return measure(bench)

    try:
        says, found = run_guarded(tried, SECONDS, TIMEOUT)
    except NotAttempted:
        return Row(title, "A part of it is not written yet.", failed=True)
    except AnswerError as error:
        return called_off(title, error)
    return Row(title, says, () if found is None else tuple((dial, dial.word(found)) for dial in dials))


def shortened(rows):
    """Return the same Rows, with every repeated error replaced by a short sentence."""
    seen, found = {}, []
    for each in rows:
        if each.failed and each.says[:ALIKE] in seen:
            each = replace(each, says=f"The same error as for “{seen[each.says[:ALIKE]]}”.")
        elif each.failed:
            seen[each.says[:ALIKE]] = each.title
        found.append(each)
    return found


def tempered(rows):
    """Return the Rows, calling large inputs harmless if the optimizer's own steps learn eight rows."""
    words = {dial.name: word for each in rows for dial, word in each.dials}
    if words.get("scale") != "large" or words.get("beaten") != "better" or words.get("reach") not in HARMLESS:
        return rows
    other = {
        "large": "large but harmless",
        "far above guessing": "far above guessing but left behind",
    }
    return [replace(each, dials=tuple((dial, other.get(word, word)) for dial, word in each.dials)) for each in rows]


def summed(rows):
    """Yield the sentences that sum up all readings."""
    words = {dial: word for each in rows for dial, word in each.dials}
    wrong = {dial.name for dial, word in words.items() if dial.ill(word)}
    noticed = {dial.name: dial.title for dial, word in words.items() if word in dial.noticed}
    failed = sum(each.failed for each in rows)
    if failed:
        yield f"{failed} of {len(rows)} instruments could not be read."
    if wrong:
        yield f"{len(wrong)} of {len(words)} readings are not what a healthy model gives."
    elif noticed:
        yield f"No reading is unhealthy. Worth a look, though it may be intended: {', '.join(noticed.values())}."
    elif words:
        which = f"The {len(words)} readings taken" if failed else f"All {len(words)} readings"
        yield f"{which} are those of a healthy model."
    yield from (each.says for each in rows if each.says.startswith(TOLD))
    if not wrong and not noticed:
        return
    found = likeliest(
        {dial.name: word for dial, word in words.items()}, wrong or {*noticed}, noticed if not wrong else ()
    )
    if found and not wrong:
        yield f"If it is not intended, it points to: {'; '.join(found)}."
    elif found:
        yield f"These readings point to: {'; '.join(found)}."
    elif wrong:
        yield "No single cause on the list explains these readings. There may be two, or one that is not listed."


@functools.cache
def causes():
    """Return {name: (cause, {dial: words that it shows}, dials that it may disturb)}, from torch_causes.toml."""
    entries = tomllib.loads(CAUSES.read_text(encoding="utf-8"))
    return {
        name: (cause_of(entries, each.get("of", name)), each["shows"], {*each["may"], *each["shows"]})
        for name, each in entries.items()
    }


def cause_of(entries, key):
    """Return a cause in words: one of the clinic's, or one that only PyTorch models have."""
    return faults()[key].cause if key in faults() else entries[key]["cause"]


def likeliest(words, wrong, noticed=()):
    """Return at most three causes: all that they show is there, and they leave the fewest odd dials unexplained.

    noticed: if no dial is ill, the dials of which a cause has to show one.
    """
    fits = [
        (len(wrong - explains), cause)
        for cause, shows, explains in causes().values()
        if all(words.get(dial) in those for dial, those in shows.items())
        and (not noticed or any(dial in noticed for dial in shows))
    ]
    best = sorted(fits, key=lambda each: each[0])
    least = best[0][0] if best else 0
    return list(dict.fromkeys(cause for left, cause in best if left <= least + 1))[:MANY]
