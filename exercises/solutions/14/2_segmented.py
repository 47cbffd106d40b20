"""Forward, a segment of `every` layers at a time: keep the number that goes into each segment, and let each graph go
by starting the next layer from a new Value. Backward, the last segment first: a leaf with its number, its layers
again, backward().

leaf.grad is the slope of one segment. Segments stand in a row, so their slopes are multiplied. range(0,
len(layers), every) gives where segments begin, and a slice may be shorter at the end.
"""


def segmented(Value, layers, x, every):
    """(number, slope): what layers[-1](… layers[0](x)) comes to, and its derivative by x.

    layers: functions from a Value to a Value. x: a number. No graph has more than `every`
    layers in it at a time, and no layer is run more than twice.
    """
    starts = range(0, len(layers), every)
    entering = []
    for start in starts:
        entering.append(x)
        for layer in layers[start : start + every]:
            x = layer(Value(x)).data
    slope = 1.0
    for start in reversed(starts):
        leaf = out = Value(entering.pop())
        for layer in layers[start : start + every]:
            out = layer(out)
        out.backward()
        slope *= leaf.grad
    return x, slope
