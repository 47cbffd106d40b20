def unreached(parameters, loss):
    """The labels of parameters whose grad is 0 after one fresh backward pass."""
    return ...


def left_out(parameters, loss):
    """The labels of labelled leaves of the graph that are none of the parameters."""
    return ...
