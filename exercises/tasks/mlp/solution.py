"""What does each layer read? The first reads the inputs, every other as many numbers as the layer before has neurons.
Write down the pairs for `MLP(2, [4, 4, 1])`.

`[n_inputs, *sizes]` is one list of all sizes. Each layer corresponds to two neighbours in it: zip the list with itself,
shifted by one. When called, the outputs of a layer become the inputs of the next.
"""


class MLP:  #: Layers one after the other.
    """Layers, each of which reads the outputs of the one before."""

    def __init__(self, n_inputs, sizes):  #: sizes: the number of neurons in each layer.
        reads = [n_inputs, *sizes]  #: What each layer reads: the first the inputs, the next the layer before.
        self.layers = [Layer(n, m) for n, m in zip(reads, sizes)]  #: `zip` stops at the shorter list: no layer reads
        #: the last size.

    def __call__(self, inputs):  #: Python calls this for `thing(inputs)`. Each call builds a new graph.
        for layer in self.layers:  #: From the inputs to the output.
            inputs = layer(inputs)  #: What one layer gives, the next one reads. The graph grows by a layer.
        return inputs[0] if len(inputs) == 1 else inputs  #: One number comes as a Value: a loss can be made of it.

    def parameters(self):  #: What training moves, as one flat list. Inputs are none of it.
        return [p for layer in self.layers for p in layer.parameters()]  #: The first layer's first.
