def inputs_first(root):
    """Every node that `root` depends on, then `root`; each once, after its inputs."""
    order, visited = [], set()

    def visit(node):
        raise NotImplementedError

    visit(root)
    return order
