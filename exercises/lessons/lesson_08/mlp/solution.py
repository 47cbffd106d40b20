"""What does each layer read? The first reads the inputs, every other as many numbers as the layer before has neurons.
Write down the pairs for `MLP(2, [4, 4, 1])`.

`[n_inputs, *sizes]` is one list of all sizes. Each layer belongs to two neighbours in it: zip the list with itself,
shifted by one. When called, the outputs of a layer become the inputs of the next.
"""


class MLP:
    """Layers, each of which reads the outputs of the one before."""

    def __init__(self, n_inputs, sizes):
        reads = [n_inputs, *sizes]
        self.layers = [Layer(n, m) for n, m in zip(reads, sizes)]

    def __call__(self, inputs):
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs[0] if len(inputs) == 1 else inputs

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]
