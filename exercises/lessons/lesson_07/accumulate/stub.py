def backward(self):
    """One pass from this root: leaves add to the grad they have; every other node begins anew."""
    raise NotImplementedError


def zero_grad(parameters):
    """Set the grad of each of these leaves to 0."""
    raise NotImplementedError
