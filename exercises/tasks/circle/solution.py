"""It is the loop of four steps, with one point instead of the four rows: forward, clear, backward, step.

The loss of a point is `(net(point) - target) ** 2`. Add its `data` to a total before the step, and return the total
after the loop.
"""


def one_epoch(net, data, lr):
    """Update net at each (point, target), in order; return the sum of losses before."""
    total = 0.0
    for point, target in data:
        loss = (net(point) - target) ** 2
        total += loss.data
        net.zero_grad()
        loss.backward()
        for p in net.parameters():
            p.data -= lr * p.grad
    return total
