def check_gradients(engine, f, xs, epsilon=1e-5):
    """The largest difference between backward() and nudging, over all inputs of f."""
    raise NotImplementedError
