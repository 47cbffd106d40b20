def unreached(parameters, loss):
    """The labels of the parameters whose grad is 0 after one fresh backward pass of loss."""
    return ...


def left_out(parameters, loss):
    """The labels of those labelled leaves in the graph of loss that are none of the parameters."""
    return ...
