"""Forward, a segment of `every` layers at a time: keep the number that goes into each segment, and free each graph by
starting the next layer from a new Value. Backward, the last segment first: a leaf with its number, its layers again,
and a backward pass. range(0, len(layers), every) gives where segments begin.

A pass begins with 1 at the segment's end, but the final output changes by a different factor: the gradient of the leaf
behind that end. If the root is k times the end, every gradient in the graph is k times as large.
"""


def segmented(Value, layers, x, every):
    """(number, slope): what layers[-1](… layers[0](x)) gives, and x's gradient.

    The layers' parameters get their gradients too. layers: functions from a Value to a
    Value. x: a number. A graph for each segment of `every` layers, one at a time; no
    layer is run more than twice.
    """
    starts = range(0, len(layers), every)
    entering = []
    for start in starts:
        entering.append(x)
        for layer in layers[start : start + every]:
            x = layer(Value(x)).data
    upstream = 1.0
    for start in reversed(starts):
        leaf = out = Value(entering.pop())
        for layer in layers[start : start + every]:
            out = layer(out)
        (out * upstream).backward()
        upstream = leaf.grad
    return x, upstream
