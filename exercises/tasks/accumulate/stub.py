def backward(self):
    """One pass from this root: leaves add to their grad, other nodes begin anew."""
    raise NotImplementedError


def zero_grad(parameters):
    """Set the grad of each of these leaves to 0."""
    raise NotImplementedError
