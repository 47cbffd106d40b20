"""Two networks that predict the next letter, on any class of Tensors: from a window of letters, and by attention.

Both are functions of their parameters, which are a list of Tensors of one class: the package's, or a learner's own with
`+ * @ [] tanh` and, for attention, `T`, `softmax` and `normalise` by rows.

Sources: a window of embedded letters and a hidden layer are those of Bengio and others, "A Neural Probabilistic
Language Model" (2003). The block is that of Vaswani and others, "Attention Is All You Need" (2017), with one head and
normalised inputs; of its name, a letter sees itself and what is before it.
"""

import numpy as np

from autograd.compile.record import record
from autograd.lessons import colours
from autograd.lessons.colours import END, LONGEST, SIGNS, all_windows, letters_of
from autograd.tensor import Tensor
from autograd.training.optim import SGD, Adam

CONTEXT, EMBEDDING, HIDDEN = 4, 8, 64  # of the network of windows
WIDTH, INNER = 32, 128  # of the block
FAR_BELOW = -1e9  # a score whose share is 0


def window_network(Tensor, context=CONTEXT, embedding=EMBEDDING, hidden=HIDDEN, seed=0):
    """Draw [E, b, U, c, W0, W1, …], the parameters of `window_scores`, from a seed: by default 4,302 numbers.

    E, shape (30, embedding), has a row for each character; Wk, shape (embedding, hidden), is the matrix of the window's
    place k, and b its bias; U, shape (hidden, 30), and the bias c make scores. U is small, so that at first no letter
    has a much larger share than another.
    """
    rng = np.random.RandomState(seed)
    E = rng.standard_normal((len(SIGNS), embedding))
    W = [rng.standard_normal((embedding, hidden)) / np.sqrt(context * embedding) for _ in range(context)]
    U = 0.1 * rng.standard_normal((hidden, len(SIGNS))) / np.sqrt(hidden)
    return [Tensor(array) for array in (E, np.zeros(hidden), U, np.zeros(len(SIGNS)), *W)]


def window_scores(parameters, rows):
    """Return the scores of the letter after each window, a Tensor of shape (n, 30); rows: (n, context) windows."""
    E, b, U, c, *W = parameters
    a = b
    for k in range(len(W)):
        a = a + E[rows[:, k]] @ W[k]
    return a.tanh() @ U + c


def after_windows(parameters):
    """Return the function of unfinished names that `colours.invent` takes, for a network of windows."""
    context = len(parameters) - 4

    def next_scores(names):
        return window_scores(parameters, np.array([([END] * context + name)[-context:] for name in names])).data

    return next_scores


def invent(parameters, count, temperature=1.0, known=()):
    """Draw `count` names letter by letter from a network of windows; with `known`, only new ones, each of them once."""
    after = after_windows(parameters)
    if known:
        return colours.new_names(after, count, known, temperature)
    return colours.invent(after, count, temperature)


# Attention


def packed(names):
    """Return (letters, positions, names, targets) of some names, one after the other: an array of whole numbers each.

    Each letter is there to predict the next: a name of n letters is END and its letters, and has n + 1 targets.
    positions: 0, 1, … in each name. names: which of them, 0, 1, ….
    """
    spelled = [letters_of(name) for name in names]
    letters = np.concatenate([[END, *each] for each in spelled])
    targets = np.concatenate([[*each, END] for each in spelled])
    return letters, *places([len(each) + 1 for each in spelled]), targets


def places(sizes):
    """Return (positions, names) of names of these sizes, one after the other."""
    return np.concatenate([np.arange(size) for size in sizes]), np.repeat(np.arange(len(sizes)), sizes)


def sees(position, name):
    """Return which letters, as columns, each letter sees: those of its name up to itself; booleans, shape (n, n)."""
    return (name[:, None] == name) & (position[:, None] >= position)


def mask_of(seen):
    """Return what is added to attention's scores: 0 if a letter is seen, else so low a number that its share is 0."""
    return np.where(seen, 0.0, FAR_BELOW)


def block_network(Tensor, seed=0):
    """Draw [E, P, Q, K, V, O, A, B, U], the parameters of `block_scores`, from a seed: 15,104 numbers.

    E and P have a row for each character and for each position; Q, K, V and O, of shape (32, 32), are attention's; A
    and B make a hidden layer of 128; U makes scores.
    """
    rng = np.random.RandomState(seed)
    shapes = {"E": (len(SIGNS), WIDTH), "P": (LONGEST + 1, WIDTH), **dict.fromkeys("QKVO", (WIDTH, WIDTH))}
    shapes |= {"A": (WIDTH, INNER), "B": (INNER, WIDTH), "U": (WIDTH, len(SIGNS))}
    drawn = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    small = {"E": 0.1, "P": 0.1, **dict.fromkeys("OBU", 0.3)}  # what is added to rows, and the scores, start small
    fan = {name: 1.0 if name in "EP" else np.sqrt(shape[0]) for name, shape in shapes.items()}
    return [Tensor(small.get(name, 1.0) * array / fan[name]) for name, array in drawn.items()]


def rows_softmax(scores):
    """Return the softmax of each row, by the method of the class of Tensors."""
    return scores.softmax()


def block_scores(parameters, letters, positions, mask, softmax=rows_softmax):
    """Return the scores of the letter after each, a Tensor of shape (n, 30); letters and positions as from `packed`.

    mask: shape (n, n), added to the scores with which letters choose among those that they see. softmax: the function
    that turns them into shares.
    """
    E, P, Q, K, V, O, A, B, U = parameters  # noqa: E741
    h = E[letters] + P[positions]
    shares, values = attention(h.normalise(), Q, K, V, mask, softmax)
    h = h + shares @ values @ O
    h = h + (h.normalise() @ A).tanh() @ B
    return h.normalise() @ U


def attention(rows, Q, K, V, mask, softmax=rows_softmax):
    """Return (shares, values): which part of each row's value a row takes, (n, n); the values, (n, width)."""
    scores = (rows @ Q) @ (rows @ K).T * Q.shape[1] ** -0.5
    return softmax(scores + mask), rows @ V


def shares_of(parameters, name):
    """Return the shares of attention in a name of n letters, an array of shape (n + 1, n + 1), END first."""
    E, P, Q, K, V, *_ = parameters
    letters, positions, names, _ = packed([name])
    shares, _ = attention((E[letters] + P[positions]).normalise(), Q, K, V, mask_of(sees(positions, names)))
    return shares.data


def after_letters(parameters):
    """Return the function of unfinished names that `colours.invent` takes, for a block."""

    def next_scores(names):
        rows, found = [[END, *name] for name in names], []
        for start in range(0, len(rows), 32):  # the shares of all names at once would be a very large matrix
            some = rows[start : start + 32]
            positions, which = places([len(row) for row in some])
            scores = block_scores(parameters, np.concatenate(some), positions, mask_of(sees(positions, which)))
            found.append(scores.data[np.cumsum([len(row) for row in some]) - 1])
        return np.concatenate(found)

    return next_scores


def batches(names, size, steps, rng):
    """Yield `packed` names for so many steps, `size` at a time: each once, in a random order, and then again."""
    order = []
    for _ in range(steps):
        if len(order) < size:
            order = list(rng.permutation(len(names)))
        yield packed([names[i] for i in order[:size]])
        del order[:size]


# Trained, on the package's Tensor


def trained_windows(names, context=CONTEXT, epochs=10, seed=0, Tensor=Tensor):
    """Train a network of windows on names, in batches of 64 at a rate of 0.5; return its parameters."""
    parameters, (rows, targets) = window_network(Tensor, context, seed=seed), all_windows(names, context)
    optimizer, rng = SGD(parameters, lr=0.5), np.random.RandomState(seed)

    def of_batch(rows, targets):
        return window_scores(parameters, rows).softmax_cross_entropy(targets)

    backward = backward_of(of_batch, (rows[:64], targets[:64]), parameters)
    for _ in range(epochs):
        order = rng.permutation(len(rows))
        for start in range(0, len(rows), 64):
            batch = order[start : start + 64]
            optimizer.zero_grad()
            backward(rows[batch], targets[batch])
            optimizer.step()
    return parameters


def backward_of(loss, batch, parameters):
    """Return a function of a batch that does `loss(*batch).backward()`: recorded if the Tensors are the package's."""
    if type(parameters[0]) is Tensor:
        return record(loss, *batch, parameters=parameters).backward
    return lambda *batch: loss(*batch).backward()


def step(optimizer, loss):
    """Take one step down from a loss."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def window_loss(parameters, names):
    """Return the mean cross-entropy of a network of windows on names, in nats."""
    rows, targets = all_windows(names, len(parameters) - 4)
    return mean_surprise(window_scores(parameters, rows).data, targets)


def trained_block(names, steps=300, seed=0, sees=sees, softmax=rows_softmax):
    """Train a block on names, 32 of them per step, by Adam at a rate of 0.008; return its parameters."""
    parameters = block_network(Tensor, seed)
    optimizer = Adam(parameters, lr=0.008)
    for letters, positions, which, targets in batches(names, 32, steps, np.random.RandomState(seed)):
        mask = mask_of(sees(positions, which))
        scores = block_scores(parameters, letters, positions, mask, softmax)
        step(optimizer, scores.softmax_cross_entropy(targets))
    return parameters


def block_loss(parameters, names, sees=sees):
    """Return the mean cross-entropy of a block on names, in nats; 46 names are packed at a time."""
    found, right = [], []
    for start in range(0, len(names), 46):
        letters, positions, which, targets = packed(names[start : start + 46])
        found.append(block_scores(parameters, letters, positions, mask_of(sees(positions, which))).data)
        right.append(targets)
    return mean_surprise(np.concatenate(found), np.concatenate(right))


def mean_surprise(scores, targets):
    """Return the mean of -log softmax(row)[target], a float; scores: an array of shape (n, k)."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    return float((np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(targets)), targets]).mean())
