def momentum_step(parameters, velocities, lr, keep=0.9):
    """One step with momentum, which changes both.

    Each velocity becomes keep · velocity + grad,
    then its parameter goes down by lr · velocity.
    """
    raise NotImplementedError
