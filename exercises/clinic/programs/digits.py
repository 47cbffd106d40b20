"""A healthy program that learns ten digits. It is run as text, part by part; a fault replaces a part.

Every part can use Tensor, cross_entropy(scores, labels), SGD, np, load_digits, layer(rng, inputs, units), the other
parts, and the settings below. One step: loss, zero, backward, update.
"""

HIDDEN, DEPTH, LR, BATCH, EPOCHS, CLASSES = 32, 1, 0.5, 50, 10, 10


def data():
    """Return pictures to learn from and their labels, then pictures for the test and theirs."""
    return load_digits()


def make(rng):
    """Return the layers, each [weights, biases], and the optimizer that moves them."""
    sizes = [64, *[HIDDEN] * DEPTH, 10]
    layers = [layer(rng, inputs, units) for inputs, units in zip(sizes, sizes[1:])]
    return layers, SGD([p for each in layers for p in each], LR)


def batches(x, labels, rng):
    """Yield the batches of an epoch, rows of x and their labels, in a new order."""
    order = rng.permutation(len(x))
    for start in range(0, len(x), BATCH):
        rows = order[start : start + BATCH]
        yield x[rows], labels[rows]


def scores(layers, x):
    """Return ten scores per picture."""
    h = Tensor(x)
    for w, b in layers[:-1]:
        h = (h @ w + b).relu()
    w, b = layers[-1]
    return h @ w + b


def loss(layers, x, labels):
    """Return the batch's mean cross-entropy."""
    return cross_entropy(scores(layers, x), labels)


def zero(layers, optimizer):
    """Do what comes between the loss and its backward pass."""
    optimizer.zero_grad()


def update(layers, optimizer):
    """Do what follows the backward pass."""
    optimizer.step()


def measure(layers, x, labels):
    """Return the share of pictures whose largest score is the label's, from 0 to 1."""
    return (scores(layers, x).data.argmax(axis=1) == labels).mean()
