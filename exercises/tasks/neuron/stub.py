class Neuron:
    """tanh(b + w1·x1 + … + wn·xn), with weights and bias drawn from -1 to 1."""

    def __init__(self, n_inputs):
        raise NotImplementedError  # self.weights: a list of Values; self.bias: a Value

    def __call__(self, inputs):
        raise NotImplementedError  # a Value

    def parameters(self):
        raise NotImplementedError  # a list: the weights, then the bias
