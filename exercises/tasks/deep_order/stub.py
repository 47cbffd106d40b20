def deep_order(root):
    """Every node that `root` depends on, then `root`; inputs first, at any depth."""
    raise NotImplementedError
