"""First the gradients to be tested: one leaf `engine(x)` for each number, `f(*leaves).backward()`, and their `grad`s.

For the nudged ones write `output(xs)`, which makes new leaves and returns the number of the result. Call it with copies
of `xs` in which one number is changed, and keep the largest `abs(…)` of all differences.
"""


def check_gradients(engine, f, xs, epsilon=1e-5):
    """The largest difference between backward() and nudging, over all inputs of f."""

    def output(xs):
        return f(*[engine(x) for x in xs]).data

    leaves = [engine(x) for x in xs]
    f(*leaves).backward()
    largest = 0.0
    for i, leaf in enumerate(leaves):
        above = output([*xs[:i], xs[i] + epsilon, *xs[i + 1 :]])
        below = output([*xs[:i], xs[i] - epsilon, *xs[i + 1 :]])
        largest = max(largest, abs(leaf.grad - (above - below) / (2 * epsilon)))
    return largest
