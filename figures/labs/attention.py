"""The attention lab: a row of the triangle opens into scores, shares, a mean of values, and all their gradients."""

from dataclasses import dataclass

import numpy as np

from autograd.errors.messages import show
from autograd.tensor import Tensor
from figures.graph.stage import bracketed, join_words, mistaken, question
from figures.labs.attention_picture import drawer, vector
from figures.page import arrays
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, switch, whole
from figures.page.player import Frame, Player, Recording

EXAMPLE = {  # of the workshop on attention, by hand
    "q": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
    "k": [[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]],
    "v": [[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]],
}
LETTERS = 2, 6  # how many letters the lab can draw
NUMBERS = 10  # on a line of the drawing: (letters + 1) times the width of q or v
LARGEST = 50  # of a score, positive or negative, so that its exp can be shown


@dataclass(frozen=True, eq=False)
class Head:
    """A head of attention: q, k, v of shape (letters, width), and the upstream of a row's output, as wide as v."""

    letters: str
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    upstream: np.ndarray

    def name(self, place):
        """Return a letter as a sentence names it; one that occurs more than once comes with its place."""
        letter = self.letters[place]
        return letter if self.letters.count(letter) == 1 else f"{letter} ({place})"


@dataclass(frozen=True, eq=False)
class Opened:
    """A row of attention, forward and backward, as the engine computes it. seen: the places of the letters it looks at.

    For each of them: scores, powers (exp of the scores), shares, parts (share · v), and the gradients of the value,
    the share, the score and the key: dv, dp, ds, dk. less: dp minus its mean, weighted by the shares. pulls: ds · k,
    which add up to dq. output: the sum of the parts.
    """

    row: int
    seen: list
    scores: np.ndarray
    powers: np.ndarray
    shares: np.ndarray
    parts: np.ndarray
    output: np.ndarray
    dv: np.ndarray
    dp: np.ndarray
    mean: float
    less: np.ndarray
    ds: np.ndarray
    pulls: np.ndarray
    dq: np.ndarray
    dk: np.ndarray


def opened(known, row, mask):
    """Return the Opened row of a head, from one forward pass and one backward pass from its output."""
    seen = list(range(row + 1 if mask else len(known.letters)))
    q, keys, v = Tensor(known.q[[row]]), Tensor(known.k[seen].T), Tensor(known.v[seen])
    scores = q @ keys
    powers = scores.exp()
    shares = powers / powers.sum(axis=1, keepdims=True)
    output = shares @ v
    output.backward(gradient=known.upstream[None])
    p, dp, ds = shares.data[0], shares.grad[0], scores.grad[0]
    mean = float(p @ dp)
    forward = scores.data[0], powers.data[0], p, p[:, None] * v.data, output.data[0]
    pulls = ds[:, None] * known.k[seen]
    return Opened(row, seen, *forward, v.grad, dp, mean, dp - mean, ds, pulls, q.grad[0], keys.grad.T)


def attention(q=None, k=None, v=None, letters=None, *, upstream=None, row=None, mask=True, predict=False):
    """Open a row of attention step by step: scores, shares, the mean of the values, and the backward pass through them.

    q, k, v: one row of numbers for each of 2 to 6 letters; a letter's score is q · k, so pass q / √d if scores should
    be divided. letters: a text. Without them, the lab shows the three letters of the workshop. upstream: the gradient
    of the opened row's output, as wide as v; None: 1 for its first number, 0 for the others. row: which row opens, from
    0; None: the last. mask: whether a row sees only itself and the letters before it. predict: before six of the
    numbers the learner may type them; the lab explains a wrong one if a known mistake gives it.
    """
    known = read(q, k, v, letters, upstream)
    last = len(known.letters) - 1
    inputs = Inputs(whole("row", 0, last, "open row"), switch("mask"))

    @inputs.check
    def record_for(row, mask):
        return record(known, row, mask, predict)

    return Player(controls=inputs.controls(row=last if row is None else row, mask=mask), record=record_for)


def read(q, k, v, letters, upstream=None):
    """Return the Head made from a lab's arguments; raise ValueError or TypeError if the arrays do not fit."""
    given = {"q": q, "k": k, "v": v}
    if len({array is None for array in given.values()}) > 1:
        raise TypeError("attention takes q, k and v together: one row of each for every letter.")
    if q is None:
        given, letters = EXAMPLE, "red" if letters is None else letters
    found = {name: arrays.numbers(array, name) for name, array in given.items()}
    for name, array in found.items():
        if array.ndim != 2 or not array.size:
            raise ValueError(f"{name} is a list of rows, one for each letter; got shape {array.shape}.")
    q, k, v = found.values()
    if not (q.shape == k.shape and len(v) == len(q)):
        raise ValueError(
            f"q and k have the same shape, and v has as many rows; got {q.shape}, {k.shape} and {v.shape}."
        )
    count, widest = len(q), max(q.shape[1], v.shape[1])
    if not LETTERS[0] <= count <= LETTERS[1] or (count + 1) * widest > NUMBERS:
        raise ValueError(
            f"this lab shows every number: {LETTERS[0]} to {LETTERS[1]} letters, and (letters + 1) · width is at most "
            f"{NUMBERS}; {count} letters of width {widest} make {(count + 1) * widest}."
        )
    letters = "abcdef"[:count] if letters is None else letters
    if not isinstance(letters, str) or len(letters) != count:
        raise ValueError(f"letters is a string with one letter for each of the {count} rows; got {letters!r}.")
    if (largest := np.abs(q @ k.T).max()) > LARGEST:
        raise ValueError(
            f"this lab shows exp of each score, and takes scores up to {LARGEST}; one of these is {largest:g}."
        )
    back = np.eye(v.shape[1])[0] if upstream is None else arrays.numbers(upstream, "upstream")
    if back.shape != v.shape[1:]:
        raise ValueError(f"upstream has one number for each column of v, {v.shape[1]}; got shape {back.shape}.")
    return Head(letters, q, k, v, back)


# Record


def record(known, row, mask, predict=False):
    """Return the Recording: the row opens forward, then backward, then all rows appear in the triangle."""
    rows = [opened(known, each, mask) for each in range(len(known.letters))]
    one, stage = rows[row], FrameTemplate(drawer(known, rows, row, mask))
    asked = questions(known, one) if predict else {}
    frames = [
        Frame(said, at, stage.updates(turn), asked.get(turn))
        for turn, (at, said) in enumerate(story(known, rows, one, mask))
    ]
    alt = f"The triangle of attention over “{known.letters}”, and below it the numbers of row {known.name(row)}."
    return Recording(f"Attention: row {known.name(row)} of “{known.letters}” opens", frames, stage, alt)


def story(known, rows, one, mask):
    name, last = known.name(one.row), one.seen[-1]
    first, names = known.name(one.seen[0]), [known.name(place) for place in one.seen]
    product = dotted(known.q[one.row], known.k[last])
    total, up = show(float(one.powers.sum())), vector(known.upstream)
    sight = "Each row sees only itself and what comes before it" if mask else "There is no mask, so each row sees all"
    return (
        (
            "Start",
            f"Each letter of “{known.letters}” has a query q, a key k and a value v. {sight}. Row {name} looks at "
            f"{join_words(names)}, and its output will be a mean of their v. How much does each count?",
        ),
        ("Scores", f"The score of a letter is the row's q times its k. For {names[-1]} it is {product}."),
        (
            "Shares",
            f"Softmax makes shares that add up to 1: exp of each score, divided by the sum of all, {total}. "
            f"{first} gets "
            f"{show(float(one.powers[0]))} / {total} = {show(float(one.shares[0]))}.",
        ),
        (
            "Mean of v",
            f"Each v is weighted by its share. Their sum is the output of row {name}: {vector(one.output)}.",
        ),
        (
            "Back to v",
            f"Now backward. {up} arrives at the output. Each v was multiplied by its share, so its gradient is "
            "that share "
            f"of the upstream: for {first} {vector(one.dv[0])}.",
        ),
        (
            "Back to shares",
            f"A share was multiplied by its v, so its gradient is upstream · v: for {names[-1]} "
            f"{dotted(known.upstream, known.v[last])}.",
        ),
        (
            "Minus the mean",
            "Shares cannot all grow, because they add up to 1. So the mean of these numbers, weighted by the shares, "
            f"is subtracted: it is {show(one.mean)}, and {first} keeps {show(float(one.less[0]))}.",
        ),
        (
            "Back to scores",
            "Each score gets its upstream minus the mean upstream, times its share: for "
            f"{first} {bracketed(show(float(one.less[0])))} · {show(float(one.shares[0]))} = {show(float(one.ds[0]))}. "
            "They add up to 0.",
        ),
        (
            "Back to q and k",
            "A score was q · k. So q gets each score's gradient times its k, and adds them up: "
            f"{vector(one.dq)}. And each k gets its score's gradient times q.",
        ),
        ("All rows", closing(known, rows, mask)),
    )


def closing(known, rows, mask):
    if mask:
        return (
            "All rows of the triangle: each adds up to 1. What is masked has no share, so nothing comes back to it. "
            "The first row sees only itself, whatever its score is."
        )
    later = float(rows[0].shares[1:].sum())
    return (
        f"All rows, with no mask: row {known.name(0)} gives {show(later)} of its shares to letters that come after "
        "it. A network that has to predict the next letter can just read it."
    )


def dotted(a, b):
    terms = " + ".join(f"{bracketed(show(float(x)))} · {bracketed(show(float(y)))}" for x, y in zip(a, b))
    return f"{terms} = {show(float(a @ b))}"


# Predict


def questions(known, one):
    """Return the questions asked before frames, {frame: question}."""
    q, k, v, up = known.q[one.row], known.k[one.seen], known.v[one.seen], known.upstream
    count, p, dp = len(one.seen), one.shares, one.dp
    first, last = known.name(one.seen[0]), known.name(one.seen[-1])
    middle = min(1, count - 1)
    at = known.name(one.seen[middle])
    scored = mistaken(
        (k[-1].sum(), "the sum of the key; each of its numbers is first multiplied by one of the query's"),
        (q[0] * k[-1][0], "only the first product; all of them are added"),
        (known.q[one.seen[-1]] @ known.k[one.row], "the other letter's query times this row's key"),
        (q @ v[-1] if len(q) == v.shape[1] else np.nan, "the query times the value; scores are made of keys"),
    )
    shared = mistaken(
        (1 / count, "an equal share for each letter; the scores decide"),
        (one.powers[0], "exp of the score, not yet divided by the sum"),
        (one.scores[0] / one.scores.sum() if one.scores.sum() else np.nan, "score / sum of scores; exp comes first"),
        (1.0, "everything for the largest score; that would not be a softmax"),
    )
    meant = mistaken(
        (v[:, 0].mean(), "the plain mean; each v is weighted by its share"),
        (v[:, 0].sum(), "the plain sum; each v is weighted by its share"),
        (v[p.argmax(), 0], "only the value of the letter with the largest share"),
        (p @ k[:, 0], "the mean of the keys; the output is made of values"),
    )
    weighed = mistaken(
        (p[-1], "its share; that is what its v gets"),
        (up.sum(), "the sum of the upstream; each of its numbers is multiplied by one of v's"),
        (v[-1].sum(), "the sum of v; each of its numbers is multiplied by one of the upstream's"),
        (up @ one.parts[-1], "upstream · v times the share; that comes later"),
    )
    scores = mistaken(
        (p[middle] * dp[middle], "its upstream times its share; the mean upstream is not subtracted"),
        (p[middle] * (1 - p[middle]) * dp[middle], "p(1 − p) · upstream; the other shares move with this score, too"),
        (one.less[middle], "its upstream minus the mean, not yet times its share"),
        (p[middle] * (dp[middle] - dp.mean()), "the plain mean is subtracted; it should be weighted by the shares"),
        (p[middle] * (dp[middle] - dp.sum()), "the sum is subtracted; it should be the mean"),
        (-one.ds[middle], "the mean minus its upstream; it is the other way round"),
    )
    queried = mistaken(
        ((one.less @ k)[0], "upstream minus the mean, times k; the share is missing"),
        ((p @ k)[0], "the mean of the keys; each counts by its score's gradient"),
        ((p * dp) @ k[:, 0], "the mean upstream is not subtracted"),
        (one.dk[-1, 0], "what the last key gets"),
    )
    return {
        1: ask(
            f"the score of {last}",
            one.scores[-1],
            scored,
            f"What is the q of row {known.name(one.row)}, and the k of {last}?",
        ),
        2: ask(f"the share of {first}", p[0], shared, "What is exp of each score, and what is their sum?"),
        3: ask("the first number of the output", one.output[0], meant, "How much of each v's first number is taken?"),
        5: ask(
            f"the gradient of {last}'s share",
            dp[-1],
            weighed,
            f"If {last}'s share grew by 0.01, what would be added to the output?",
        ),
        7: ask(
            f"the gradient of {at}'s score",
            one.ds[middle],
            scores,
            "Is its upstream above the mean or below, and by how much?",
        ),
        8: ask(
            "the first number of q's gradient",
            one.dq[0],
            queried,
            "Each score was q · k. Which number was q's first multiplied by in each, and what is the gradient "
            "of that score?",
        ),
    }


def ask(what, answer, wrong, hint):
    return question(what, float(answer), wrong, hint)
