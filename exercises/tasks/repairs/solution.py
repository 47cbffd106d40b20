"""`exercises.program(2)` shows a patient's code once you have named its cause. Copy the part that is wrong into the
cell, change what is wrong, and put the function into the dict.

A loss takes scores, not probabilities; targets need the shape of what they are subtracted from; the test must be put
aside before anything is copied; rows need to be mixed. A function finds the other parts by their names.
"""

repairs = {}


def loss(layers, x, labels):
    return cross_entropy(scores(layers, x), labels)


repairs[8] = loss


def data():
    rng = np.random.RandomState(0)
    x = rng.uniform(size=(500, 10))
    y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    y = y + rng.standard_normal(500)
    y, x = (y - y[:300].mean()) / y[:300].std(), (x - 0.5) * 12**0.5
    x[211, 6] = 0  # the mean of such readings
    return x[:300], y[:300], x[300:], y[300:]


repairs[3] = data


def scores(layers, x):
    h = Tensor(x)
    for w, b in layers[:-1]:
        h = (h @ w + b).relu()
    w, b = layers[-1]
    return h @ w + b


repairs[4] = scores


def loss(layers, x, targets):
    return ((scores(layers, x)[:, 0] - targets) ** 2).mean()


repairs[5] = loss


def zero(layers, optimizer):
    optimizer.zero_grad()


repairs[7] = zero


def data():
    return load_digits()


repairs[6] = data


def batches(x, labels, rng):
    order = rng.permutation(len(x))
    for start in range(0, len(x), BATCH):
        rows = order[start : start + BATCH]
        yield x[rows], labels[rows]


repairs[2] = batches
