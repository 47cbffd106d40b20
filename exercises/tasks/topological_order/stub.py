def inputs_first(root):
    """Every node that `root` depends on, then `root`; each once, after its inputs."""
    raise NotImplementedError
