def zero_grad(parameters):
    """Set the grad of each of these leaves to 0."""
    for p in parameters:
        p.grad = 0.0
