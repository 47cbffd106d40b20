def small_step(parameters, loss_of, rows, update, lr=1e-4):
    """What one small step brings, divided by what its slope promises: -lr · ‖g‖², g the gradient of all parameters.

    loss_of(rows): the loss of some rows, a Tensor. update(lr): the program's step at this rate. Old gradients may be
    there at the beginning.
    """
    raise NotImplementedError
