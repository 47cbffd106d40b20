class Value(Number):  #: The engine's class.
    """A number that remembers how it was made, and can pass a gradient back to its inputs."""

    __eq__, __hash__ = object.__eq__, object.__hash__  # equal numbers are not one node  #: So a set of visited nodes
    #: tells apart two nodes that hold the same number.
