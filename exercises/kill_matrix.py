"""`kill_matrix`: a learner's tests against the twenty wrong engines: which test catches which."""

import html
from dataclasses import dataclass

from autograd.dual import Dual, forward_gradient
from exercises.cases import same
from exercises.grading import answer
from exercises.guard import TimeUp, Trouble, Unfinished, guarded, trying
from exercises.wrong_engines import WRONG_ENGINES, Engine


@dataclass(frozen=True)
class KillMatrix:
    """Rows are tests, columns wrong engines: `killed[i][j]` is whether test i catches engine j. `faults`: bad tests."""

    killed: tuple
    faults: tuple = ()

    @property
    def caught(self):
        """The wrong engines that at least one test catches."""
        return [w for j, w in enumerate(WRONG_ENGINES) if any(row[j] for row in self.killed)]

    @property
    def score(self):
        """How many wrong engines are caught."""
        return len(self.caught)

    def says(self):
        """The result in one sentence, with the mistakes that got away."""
        away = [f"{w.id} ({w.name})" for w in WRONG_ENGINES if w not in self.caught]
        tests = f"{len(self.killed)} test{'s' if len(self.killed) != 1 else ''}"
        got_away = f" Not caught: {'; '.join(away)}." if away else " None got away."
        if not self.caught:
            got_away = ""
        return f"{tests}: {self.score} of {len(WRONG_ENGINES)} wrong engines caught.{got_away}"

    def __repr__(self):
        rows = [
            f"test {i}: " + " ".join(w.id for w, k in zip(WRONG_ENGINES, row) if k)
            for i, row in enumerate(self.killed, 1)
        ]
        return "\n".join([self.says(), *rows, *self.faults])

    def html(self):
        """The matrix as a table: ✗ where a test catches an engine, · where it does not."""
        caught = self.caught
        style = 'style="text-align:center;padding:.25em .2em;min-width:2.1em;font-size:.9em"'
        head = "".join(f'<th scope="col" {style} title="{html.escape(w.name)}">{w.id}</th>' for w in WRONG_ENGINES)
        rows = "".join(
            f'<tr><th scope="row">test {i}</th>'
            + "".join(
                f'<td {style} title="{html.escape(w.name)}">{"<b>✗</b>" if k else "·"}</td>'
                for w, k in zip(WRONG_ENGINES, row)
            )
            + f"<td>{sum(row)}</td></tr>"
            for i, row in enumerate(self.killed, 1)
        )
        total = "".join(f"<td {style}>{'<b>✓</b>' if w in caught else '–'}</td>" for w in WRONG_ENGINES)
        faults = "".join(f"<p>{html.escape(fault)}</p>" for fault in self.faults)
        score, dot, got_away = self.says().partition(" caught.")
        return (
            f"<p><b>{html.escape(score + dot)}</b>{html.escape(got_away)}</p>{faults}<table>"
            f'<thead><tr><td></td>{head}<th scope="col">catches</th></tr></thead><tbody>{rows}</tbody>'
            f'<tfoot><tr><th scope="row">caught</th>{total}<td><b>{self.score}</b></td></tr></tfoot></table>'
        )

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html(), "text/plain": repr(self)}


def kill_matrix(tests):
    """The KillMatrix of tests, each `(f, xs)`: f is computed on Values made of the numbers xs, and differentiated.

    A test catches an engine if the output or any gradient differs by more than 1e-9 from what dual numbers give. A test
    that fails on the right engine is reported as a fault, and catches nothing.
    """
    killed, faults, unwritten = [], [], []
    for i, test in enumerate(tests, start=1):
        try:
            killed.append(guarded(lambda test=test, i=i: kills(test, i)))
        except Unfinished:
            killed.append((False,) * len(WRONG_ENGINES))
            unwritten.append(str(i))
        except Trouble as trouble:
            killed.append((False,) * len(WRONG_ENGINES))
            faults.append(" ".join(trouble.sentences))
        except TimeUp:
            killed.append((False,) * len(WRONG_ENGINES))
            faults.append(f"Test {i} did not end, and was stopped.")
    if unwritten:
        which = f"Test {unwritten[0]} is" if len(unwritten) == 1 else f"Tests {', '.join(unwritten)} are"
        faults.append(f"{which} not written yet.")
    return KillMatrix(tuple(killed), tuple(faults))


def kills(test, i):
    """For each wrong engine, whether this test catches it. Trouble, if it fails on the right one too."""
    what = f"test {i}"
    if test is None or test is ...:
        raise Unfinished
    if not isinstance(test, tuple | list) or len(test) != 2 or not callable(test[0]):
        raise Trouble(f"Tested: {what}.", "A test is a pair (f, xs): a function, and the list of numbers it is given.")
    f, xs = test
    with trying(what):
        xs = [float(x) for x in xs]
        value, slopes = answer(f(*map(Dual, xs)), what), forward_gradient(f, xs)
    with trying(what):
        if not agrees(f, xs, Engine, value, slopes):
            raise Trouble(f"Tested: {what}.", "It fails on the right engine too. f must give the same each time.")
    return tuple(not agrees(f, xs, w.engine, value, slopes) for w in WRONG_ENGINES)


def agrees(f, xs, engine, value, slopes):
    """Whether an engine gives this output and these gradients for f; an engine that fails at it does not."""
    try:
        inputs = [engine(x) for x in xs]
        root = f(*inputs)
        root.backward()
        return same(root.data, value) and all(same(x.grad, slope) for x, slope in zip(inputs, slopes))
    except (ArithmeticError, ValueError):
        return False
