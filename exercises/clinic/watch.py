"""`watch`: what goes wrong in a PyTorch training loop itself, not in its parts, seen while it runs."""

from exercises.clinic.overview import Overview

WAY = "exercises.watch(model, optimizer)"
HEALTHY, ILL, NOT_SEEN = 0, 1, 2  # exit codes, as those of the doctor


class watch:
    """Watch a training loop of your own while it runs, for a few dozen steps, and read what lives in the loop.

    For example::

        with exercises.watch(model, optimizer) as watched:
            for x, y in loader: …
        watched                      # a table; in a terminal, print(watched)
        sys.exit(watched.exit_code)  # for CI: 0 healthy, 1 not, 2 no step was seen

    model, optimizer: one of each, or a list of several. The loop's numbers, its random numbers and its errors are the
    same as without. Raise TypeError or ValueError for anything else, ImportError if PyTorch is missing.
    """

    def __init__(self, model, optimizer):
        try:
            import torch
        except ImportError:
            raise ImportError(f"{WAY} needs PyTorch, which is not installed here.") from None
        from exercises.clinic.watch_recorder import Recorder

        models = list_of(model, torch.nn.Module, "model is a torch.nn.Module, or a list of them")
        optimizers = list_of(optimizer, torch.optim.Optimizer, "optimizer is one of torch.optim, or a list of them")
        if any(torch.nn.parameter.is_lazy(p) for each in models for p in each.parameters()):
            raise ValueError("this model has lazy parameters, which have no shape yet. Run it once on a batch first.")
        self._recorder, self._block = Recorder(torch, models, optimizers), None

    def __enter__(self):
        if self._block:
            raise ValueError("one watch is for one block: call exercises.watch again for another.")
        self._block = self._recorder.installed()
        self._block.__enter__()
        return self

    def __exit__(self, *raised):
        self._block.__exit__(None, None, None)
        return False

    @property
    def overview(self):
        """Return the Overview of what has been seen so far."""
        from exercises.clinic.watch_readings import readings

        rows = tuple(readings(self._recorder))
        return Overview(rows, tuple(summed(self._recorder, rows)))

    @property
    def readings(self):
        """Return the rows, each with `title`, `says` and `sign`: ✓ healthy, ~ may be meant, ✗ not, – not measured."""
        return self.overview.rows

    @property
    def exit_code(self):
        """Return 0 if no reading is unhealthy, 1 if one is, 2 if there was no step to judge."""
        if any(row.sign == "✗" for row in self.readings):
            return ILL
        return HEALTHY if self._recorder.steps else NOT_SEEN

    @property
    def ok(self):
        """Return whether steps were seen and no reading is unhealthy."""
        return self.exit_code == HEALTHY

    def __repr__(self):
        return repr(self.overview)

    def _repr_html_(self):
        return self.overview.html()


def list_of(given, wanted, should):
    """Return one or several as a list; raise TypeError if there is anything else."""
    found = list(given) if isinstance(given, list | tuple) else [given]
    for each in found or [None]:
        if not isinstance(each, wanted):
            what = f"the class {each.__name__}" if isinstance(each, type) else type(each).__name__
            raise TypeError(f"{should}, as in {WAY}; got {what}.")
    return found


def summed(recorder, rows):
    """Yield the sentences that sum up all readings."""
    steps, passes = recorder.steps, recorder.passes
    yield f"Watched {steps} step{'s' * (steps != 1)} and {passes} backward pass{'es' * (passes != 1)}."
    ill, noticed, none = ([row.title for row in rows if row.sign == sign] for sign in "✗~–")
    if ill:
        verb = "is" if len(ill) == 1 else "are"
        yield f"{len(ill)} of {len(rows)} readings {verb} not what a healthy loop gives: {', '.join(ill)}."
    elif len(none) < len(rows):
        yield "No reading is unhealthy."
    if noticed:
        yield f"Worth a look, though it may be intended: {', '.join(noticed)}."
    if none:
        yield f"{len(none)} of {len(rows)} readings could not be measured."
