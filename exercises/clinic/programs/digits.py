"""A healthy program that learns ten digits. It is run as text, part by part; a fault takes the place of a part.

What a part finds beside the others: Tensor, cross_entropy(scores, labels), SGD, np, load_digits, layer(rng, inputs,
units), and the settings below. One step: loss, zero, backward, update.
"""

HIDDEN, DEPTH, LR, BATCH, EPOCHS, CLASSES = 32, 1, 0.5, 50, 10, 10


def data():
    """Pictures to learn from and their labels; pictures for the test and theirs."""
    return load_digits()


def make(rng):
    """The layers, each [weights, biases], and the optimizer that is to move them."""
    sizes = [64, *[HIDDEN] * DEPTH, 10]
    layers = [layer(rng, inputs, units) for inputs, units in zip(sizes, sizes[1:])]
    return layers, SGD([p for each in layers for p in each], LR)


def batches(x, labels, rng):
    """An epoch: rows of x and their labels, a batch at a time, in a new order."""
    order = rng.permutation(len(x))
    for start in range(0, len(x), BATCH):
        rows = order[start : start + BATCH]
        yield x[rows], labels[rows]


def scores(layers, x):
    """Ten scores a picture."""
    h = Tensor(x)
    for w, b in layers[:-1]:
        h = (h @ w + b).relu()
    w, b = layers[-1]
    return h @ w + b


def loss(layers, x, labels):
    """The batch's mean cross-entropy."""
    return cross_entropy(scores(layers, x), labels)


def zero(layers, optimizer):
    """What stands between the loss and its backward pass."""
    optimizer.zero_grad()


def update(layers, optimizer):
    """What follows the backward pass."""
    optimizer.step()


def measure(layers, x, labels):
    """The share of pictures whose largest score is the label's, from 0 to 1."""
    return (scores(layers, x).data.argmax(axis=1) == labels).mean()
