def backward(self):
    """Set `grad` of every node that this one depends on to ∂self/∂node."""
    raise NotImplementedError
