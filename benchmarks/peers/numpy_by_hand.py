"""No engine: the backward pass of these networks written out by hand, in NumPy."""

import functools

import numpy as np

from benchmarks import tasks
from benchmarks.peers import engine


class Arrays(engine.Arrays):
    """Plain arrays, and the chain rule layer by layer."""

    def model(self, task):
        if task["kind"] == "deep":
            return [np.array(w) for w in task["weights"]], deep_loss(np.array(task["rows"]), np.array(task["v"]))
        if task["kind"] == "windows":
            return [np.array(w) for w in task["parameters"]], window_loss(np.array(task["rows"]), task["targets"])
        losses = {"sum of squares": squares, "cross entropy": cross_entropy}
        loss = losses.get(task["loss"]) or functools.partial(max_margin, decay=task["decay"])
        functions = [task["activation"]] * (len(task["sizes"]) - 2) + [task["output"]]
        parameters = [np.array(matrix) for matrix in tasks.to_matrices(task["parameters"], task["sizes"])]
        targets = np.array(task["targets"])
        targets = targets if task["loss"] == "cross entropy" else targets[:, None]
        return parameters, network_loss(np.array(task["rows"]), targets, functions, loss)

    def value_and_grad(self, loss, parameters):
        return loss(parameters)


def network_loss(rows, targets, functions, loss):
    """Return the loss and its gradients as a function of weights and biases."""

    def value_and_grad(parameters):
        weights, biases, hs = parameters[::2], parameters[1::2], [rows]
        for w, b, function in zip(weights, biases, functions):
            z = hs[-1] @ w + b
            hs.append(np.tanh(z) if function == "tanh" else np.maximum(z, 0.0) if function == "relu" else z)
        number, upstream, decay = loss(hs[-1], targets)
        gradients = []
        for i in reversed(range(len(weights))):
            if functions[i] == "tanh":
                upstream = upstream * (1.0 - hs[i + 1] * hs[i + 1])
            elif functions[i] == "relu":
                upstream = upstream * (hs[i + 1] > 0)
            gradients += [upstream.sum(axis=0), hs[i].T @ upstream]
            if i:
                upstream = upstream @ weights[i].T
        gradients.reverse()
        if decay:
            number += decay * sum(np.vdot(p, p) for p in parameters)
            gradients = [gradient + 2 * decay * p for gradient, p in zip(gradients, parameters)]
        return float(number), gradients

    return value_and_grad


def squares(outputs, targets):
    """Return Σ (output - target)², its gradient, and no L2."""
    errors = outputs - targets
    return np.vdot(errors, errors), 2.0 * errors, 0.0


def max_margin(outputs, targets, decay=1e-4):
    """Return the mean of max(0, 1 - target · output), its gradient, and how much of the L2 norm is added."""
    margins = np.maximum(1.0 - targets * outputs, 0.0)
    return margins.mean(), (margins > 0) * targets * (-1.0 / len(targets)), decay


def cross_entropy(scores, targets):
    """Return the mean of -log softmax(row)[target], its gradient, and no L2."""
    n, each = len(targets), np.arange(len(targets))
    shifted = scores - scores.max(axis=1, keepdims=True)
    powers = np.exp(shifted)
    sums = powers.sum(axis=1, keepdims=True)
    local = powers / sums
    local[each, targets] -= 1.0
    return (np.log(sums[:, 0]) - shifted[each, targets]).mean(), local / n, 0.0


def deep_loss(rows, v):
    """Return W4's loss and its gradients as a function of the weights."""

    def value_and_grad(weights):
        hs = [rows]
        for w in weights:
            hs.append(np.tanh(hs[-1] @ w))
        upstream, gradients = np.ones((len(rows), 1)) @ v.T, []
        for w, before, after in zip(weights[::-1], hs[-2::-1], hs[:0:-1]):
            upstream = upstream * (1.0 - after * after)
            gradients.append(before.T @ upstream)
            upstream = upstream @ w.T
        return float((hs[-1] @ v).sum()), gradients[::-1]

    return value_and_grad


def window_loss(rows, targets):
    """Return the loss of lesson 10's network of windows, and its gradients, as a function of the parameters."""
    targets = np.array(targets)

    def value_and_grad(parameters):
        E, b, U, c, *W = parameters
        looked, a = [E[rows[:, k]] for k in range(len(W))], b
        for x, w in zip(looked, W):
            a = a + x @ w
        h = np.tanh(a)
        number, upstream, _ = cross_entropy(h @ U + c, targets)
        by_a, by_e = upstream @ U.T * (1.0 - h * h), np.zeros(E.shape)
        for k, w in enumerate(W):
            np.add.at(by_e, rows[:, k], by_a @ w.T)
        by_w = [x.T @ by_a for x in looked]
        return float(number), [by_e, by_a.sum(axis=0), h.T @ upstream, upstream.sum(axis=0), *by_w]

    return value_and_grad
