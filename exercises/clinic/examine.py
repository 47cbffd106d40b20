"""`examine`: run the clinic's instruments on a learner's own program, or on a PyTorch model."""

import builtins
import types

import numpy as np

from exercises.clinic.cause_ranking import REACH, nearest
from exercises.clinic.instruments import INSTRUMENTS, read
from exercises.clinic.overview import SECONDS, TIMEOUT, Overview, Row, called_off
from exercises.clinic.program import PACKAGE, PARTS, SETTINGS, Engine, TrainingProgram, names_in, with_scope
from exercises.sandbox.guard import AnswerError, NotAttempted, run_guarded, trying

COMPARE = ("small_step", "kept", "check")  # instruments that compare one loss, or gradient, with another
CANNOT_BEGIN = "The program cannot start, so no instrument can read it."
EXAMPLE = 'exercises.examine({"loss": loss, "update": update})'


def examine(parts, loader=None, loss_fn=None, optimizer=None, *, batch=None, engine=None):
    """Return an Overview of what the instruments read on your own program.

    parts: a dict, a module or an object with any of the functions data, make, batches, scores, loss, zero, update,
    measure, each as the clinic describes it, and of the settings HIDDEN, DEPTH, LR, BATCH, EPOCHS, CLASSES; the healthy
    digits program provides the rest.
    engine: a module with Tensor and softmax_cross_entropy, for the parts that are missing; the package's, if None.

    Or a PyTorch model, the loader of its batches (x, y) or one pair of them, its loss function(scores, y), and, if
    there is one, its optimizer. batch: a function from what the loader yields to (x, y), if that is something else.
    The model, its gradients, the optimizer and the random numbers are left unchanged.

    Raise TypeError or ValueError if it is neither, ImportError if PyTorch is missing.
    """
    if loader is not None or loss_fn is not None or optimizer is not None or is_torch(parts):
        from exercises.clinic.examine_torch import examine_model  # PyTorch, if it is needed

        return examine_model(parts, loader, loss_fn, optimizer, batch)
    program = OwnProgram(*functions_of(parts), engine=engine_of(engine))
    readings, rows = {}, []
    try:
        run_guarded(lambda: tried("the program's beginning", program.begin), SECONDS, TIMEOUT)
    except NotAttempted:
        return Overview((Row("data and make", "They are not written yet.", failed=True),), (CANNOT_BEGIN,))
    except AnswerError as error:
        return Overview((called_off("data and make", error),), (CANNOT_BEGIN,))
    random = drawn(program)
    if random:
        rows.append(Row("The same rows twice", random))
    for instrument in INSTRUMENTS.values():
        if random and instrument.name in COMPARE:
            rows.append(Row(instrument.title, "Left out: it compares losses, and these are random."))
            continue
        try:
            found = run_guarded(lambda its=instrument: tried(its.title, read, program, its), SECONDS, TIMEOUT)
        except NotAttempted:
            rows.append(Row(instrument.title, "A part is not written yet.", failed=True))
        except AnswerError as error:
            rows.append(called_off(instrument.title, error))
        else:
            readings[instrument.name] = found
            own = {"reach": (REACH, REACH.word(found.numbers))} if instrument.name == "moved" else {}
            dials = [own.get(dial.name, (dial, word)) for dial, word in found.dials]
            rows.append(Row(instrument.title, found.says, dials, beside=(REACH, "far") in dials))
    return Overview(tuple(rows), tuple(summed(rows, random)), readings)


def drawn(program):
    """Return a sentence if the same rows have a different loss the second time; else "".

    It is also "" if the loss cannot be calculated.
    """

    def both():
        run = program.begin()
        x, y = run.first_batch()
        return [float(program.loss(run.layers, x.copy(), y).data) for _ in range(2)]

    try:
        one, other = run_guarded(lambda: tried("the loss", both), SECONDS, TIMEOUT)
    except (NotAttempted, AnswerError):
        return ""
    same = one == other or (one != one and other != other)
    return "" if same else f"The loss is random: the same rows give {one:.6g} and {other:.6g}, and no weight has moved."


def tried(what, function, *given):
    with trying(what):
        return function(*given)


def summed(rows, random):
    """Yield the sentences that sum up all readings."""
    words = {dial: word for each in rows for dial, word in each.dials}
    wrong = [dial for dial, word in words.items() if word not in dial.healthy]
    missing, left = sum(each.failed for each in rows), len(COMPARE) if random else 0
    if missing:
        yield f"{missing} of {len(INSTRUMENTS)} instruments could not be read."
    if words and not wrong and missing:
        yield f"The {len(words)} readings taken are those of a healthy program."
    elif words and not wrong:
        yield f"All {len(words)} readings are those of a healthy program."
    elif words:
        yield f"{len(wrong)} of {len(words)} readings are not what a healthy program gives."
    if random:
        yield f"{random} So {left} of {len(INSTRUMENTS)} instruments are left out."
    if wrong:
        exact, near = nearest({dial.name: word for dial, word in words.items()})
        if exact:
            yield f"These readings point to: {'; '.join(exact)}."
        if near and (exact or not missing):
            first = "Close to it" if exact else "No single cause on the list explains all of this. The closest"
            yield f"{first}: {'; '.join(near)}."


def is_torch(thing):
    """Return whether an object is a PyTorch model, without importing PyTorch."""
    return any(kind.__module__ == "torch.nn.modules.module" for kind in type(thing).__mro__)


def engine_of(module):
    if module is None:
        return PACKAGE
    if isinstance(module, Engine):
        return module
    try:
        return Engine.from_module(module)
    except AttributeError:
        raise TypeError(
            f"engine is a module with Tensor and softmax_cross_entropy; {type(module).__name__} does not have both."
        ) from None


def functions_of(parts):
    """Split a learner's program into ({part: function}, settings)."""
    if isinstance(parts, dict):
        strange = [key for key in parts if key not in PARTS and key not in SETTINGS]
        if strange:
            raise ValueError(f"a program has no part {strange[0]!r:.80}. Its parts: {', '.join(PARTS)}.")
        found = dict(parts)
    else:
        found = {name: getattr(parts, name) for name in (*PARTS, *SETTINGS) if hasattr(parts, name)}
    functions = {name: found[name] for name in PARTS if name in found}
    if not found:
        raise ValueError(
            f"examine found no part of a program in this. It may have any of {', '.join(PARTS)}: {EXAMPLE}."
        )
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(f"{name} is a part of a program, so it is a function; got {type(function).__name__}.")
    settings = {name: found[name] for name in SETTINGS if name in found}
    for name, number in settings.items():
        if isinstance(number, bool) or not isinstance(number, int | float) or not number >= 0:
            raise TypeError(f"{name} is a setting, so it is a number of 0 or more; got {number!r:.80}.")
    return functions, settings


class OwnProgram(TrainingProgram):
    """The healthy digits program with some parts replaced by a learner's.

    Their functions keep their own names: the `LR` or `Tensor` that `loss` uses is the one of its notebook. Names that
    are missing there are looked up among the parts. A setting of theirs holds for the other parts, too.
    """

    def __init__(self, functions, settings, engine=PACKAGE):
        found = [each for each in functions.values() if isinstance(each, types.FunctionType)]
        own = {name: each.__globals__[name] for each in found for name in set(SETTINGS) & set(each.__globals__)}
        own = {name: number for name, number in own.items() if isinstance(number, int | float)}
        super().__init__(settings={**own, **settings}, engine=engine)
        self.names |= functions
        scopes = []
        for name, function in functions.items():
            if not isinstance(function, types.FunctionType):
                continue
            lacks = names_in(function.__code__) & set(self.names) - set(function.__globals__) - set(vars(builtins))
            if lacks:
                scope = dict(function.__globals__)
                scopes.append((scope, lacks))
                self.names[name] = with_scope(function, scope)
        for scope, lacks in scopes:  # now that all parts are there
            scope |= {name: self.names[name] for name in lacks}

    def begin(self):
        """Begin a Run with as many classes as the learner's own data have, and with the learner's Tensors."""
        run = super().begin()
        pairs = [each for each in run.layers if isinstance(each, list | tuple) and len(each) == 2]
        if not pairs or len(pairs) < len(run.layers) or not all(hasattr(p, "grad") for pair in pairs for p in pair):
            raise TypeError("make returns a list of layers, each [weights, biases], and the optimizer")
        if "data" in self.names and "CLASSES" not in self.settings:
            whole = np.issubdtype(run.y.dtype, np.integer)
            self.names["CLASSES"] = int(run.y.max()) + 1 if whole and run.y.size else 0
        self.engine = Engine(type(run.layers[0][0]), self.engine.cross_entropy, self.engine.name)
        return run
