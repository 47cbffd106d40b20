def deep_order(root):
    """Every node that `root` depends on, each once, inputs before consumers; at any depth."""
    raise NotImplementedError
