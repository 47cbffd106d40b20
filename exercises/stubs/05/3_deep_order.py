def deep_order(root):
    """Every node that `root` depends on, each once, inputs before consumers, `root` last; for a graph of any depth."""
    raise NotImplementedError
