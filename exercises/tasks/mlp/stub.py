class MLP:
    """Layers, each of which reads the outputs of the one before."""

    def __init__(self, n_inputs, sizes):
        raise NotImplementedError  # self.layers; sizes: the number of neurons in each

    def __call__(self, inputs):
        raise NotImplementedError  # a Value for one output, else a list

    def parameters(self):
        raise NotImplementedError  # one flat list, the first layer's first
