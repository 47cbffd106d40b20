"""A healthy program that predicts one number from ten: the parts that differ from those of `digits`.

The data are made up: five of ten readings decide (Friedman 1991, "Multivariate adaptive regression splines", section
4.3), and noise of a known size is added, so that it is known how well it can be done.
"""

HIDDEN, DEPTH, LR, BATCH, EPOCHS, CLASSES = 32, 1, 0.05, 300, 400, 0


def data():
    """Return 300 rows of ten readings and what to predict, of mean 0 and spread 1; then 200 rows for the test."""
    rng = np.random.RandomState(0)
    x = rng.uniform(size=(500, 10))
    y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    y = y + rng.standard_normal(500)
    y, x = (y - y[:300].mean()) / y[:300].std(), (x - 0.5) * 12**0.5
    return x[:300], y[:300], x[300:], y[300:]


def make(rng):
    """Return the layers, each [weights, biases], and the optimizer that moves them."""
    sizes = [10, *[HIDDEN] * DEPTH, 1]
    layers = [layer(rng, inputs, units) for inputs, units in zip(sizes, sizes[1:])]
    return layers, SGD([p for each in layers for p in each], LR)


def loss(layers, x, targets):
    """Return the mean of the squared errors: scores has shape (n, 1), and targets (n,)."""
    return ((scores(layers, x)[:, 0] - targets) ** 2).mean()


def measure(layers, x, targets):
    """Return R²: 1 if each answer is right, 0 if each is the mean."""
    errors = scores(layers, x).data[:, 0] - targets
    return 1 - (errors**2).mean() / targets.var()
