"""For each parameter, by its place i: first a new number for `velocities[i]`, made of the old one and the grad.

Then the parameter moves by the new velocity. It is kept in the list, for the next step.
"""


def momentum_step(parameters, velocities, lr, keep=0.9):
    """Each velocity becomes keep · velocity + grad; then its parameter goes down by lr · velocity. Changes both."""
    for i, p in enumerate(parameters):
        velocities[i] = keep * velocities[i] + p.grad
        p.data -= lr * velocities[i]
