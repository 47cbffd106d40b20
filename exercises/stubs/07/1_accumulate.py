def backward(self):
    """One pass from this root: leaves add to the grad they have; every other node begins anew."""
    raise NotImplementedError


Value.backward = backward
