def segmented(Value, layers, x, every):
    """(number, slope): what layers[-1](… layers[0](x)) gives, and x's gradient.

    The layers' parameters get their gradients too. layers: functions from a Value to a
    Value. x: a number. A graph for each segment of `every` layers, one at a time; no
    layer is run more than twice.
    """
    raise NotImplementedError
