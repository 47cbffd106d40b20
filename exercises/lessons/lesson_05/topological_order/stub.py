def inputs_first(root):
    """Every node that `root` depends on, each once, inputs before consumers; `root` is last."""
    raise NotImplementedError
