"""One epoch is four steps: forward through all rows to the loss; clear the old gradients; one backward pass; one step.
Append the loss's number to a list.

The loss is the sum of `(net(row) - target) ** 2` over the rows; Python's `sum` adds Values. Set each `p.grad` to 0
before `loss.backward()`, and after it move each `p.data` by lr times its gradient, downhill.
"""


def train(net, rows, targets, lr, epochs):
    """Train net on the rows; the loss of each epoch, taken before its step."""
    losses = []
    for _ in range(epochs):
        loss = sum((net(row) - target) ** 2 for row, target in zip(rows, targets))
        for p in net.parameters():
            p.grad = 0.0
        loss.backward()
        for p in net.parameters():
            p.data -= lr * p.grad
        losses.append(loss.data)
    return losses
