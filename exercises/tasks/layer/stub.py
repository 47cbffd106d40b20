class Layer:
    """Neurons that all read the same inputs."""

    def __init__(self, n_inputs, n_outputs):
        raise NotImplementedError  # self.neurons: a list

    def __call__(self, inputs):
        raise NotImplementedError  # a list: the output of each neuron

    def parameters(self):
        raise NotImplementedError  # one flat list, the first neuron's first
