"""Zero all gradients; the loss of the rows; backward; ‖g‖², which is the sum of all squares; one update; the loss
of the same rows again.

‖g‖² must be computed before the step: it is the slope where the step starts. Then (after - before) / (-lr * square).
"""


def small_step(parameters, loss_of, rows, update, lr=1e-4):
    """The loss's change in one small step, divided by what its slope promises.

    loss_of(rows): the loss of some rows, a Tensor. update(lr): a step at this rate.
    Old gradients may be there at the beginning.
    """
    for p in parameters:
        p.grad = np.zeros(p.data.shape)
    before = loss_of(rows)
    before.backward()
    square = sum((p.grad**2).sum() for p in parameters)
    update(lr)
    after = loss_of(rows)
    return (float(after.data) - float(before.data)) / (-lr * square)
