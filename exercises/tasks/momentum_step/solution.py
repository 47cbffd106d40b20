"""Go through the parameters by their index i. First compute a new `velocities[i]`, from the old one and the grad.

Then move the parameter by the new velocity, which stays in the list for the next step.
"""


def momentum_step(parameters, velocities, lr, keep=0.9):
    """One step with momentum, which changes both.

    Each velocity becomes keep · velocity + grad,
    then its parameter goes down by lr · velocity.
    """
    for i, p in enumerate(parameters):
        velocities[i] = keep * velocities[i] + p.grad
        p.data -= lr * velocities[i]
