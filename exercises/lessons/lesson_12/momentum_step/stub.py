def momentum_step(parameters, velocities, lr, keep=0.9):
    """Each velocity becomes keep · velocity + grad; then its parameter goes down by lr · velocity. Changes both."""
    raise NotImplementedError
