def small_step(parameters, loss_of, rows, update, lr=1e-4):
    """The loss's change in one small step, divided by what its slope promises.

    loss_of(rows): the loss of some rows, a Tensor. update(lr): a step at this rate.
    Old gradients may be there at the beginning.
    """
    raise NotImplementedError
