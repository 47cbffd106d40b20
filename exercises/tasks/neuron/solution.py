"""Make a weight with `Value(random.uniform(-1, 1))`, inside a list comprehension that runs once for each input.

Start the sum at `self.bias`. Go over `zip(self.weights, inputs)` and add a product for each pair. The tanh comes once,
after the loop. All parameters in one list: the weights unpacked with `*`, then the bias.
"""


class Neuron:  #: A weighted sum of its inputs, bent by tanh.
    """tanh(b + w1·x1 + … + wn·xn), with weights and bias drawn from -1 to 1."""

    def __init__(self, n_inputs):  #: The parameters are made here, once: a call makes none.
        self.weights = [Value(random.uniform(-1, 1)) for _ in range(n_inputs)]  #: One weight for each input. Each is a
        #: leaf of its own; `[Value(…)] * n` would be one leaf n times.
        self.bias = Value(random.uniform(-1, 1))  #: One bias, however many inputs there are.

    def __call__(self, inputs):  #: Python calls this for `thing(inputs)`. Each call builds a new graph.
        total = self.bias  #: The sum begins at the bias, so that it gets an edge, and with it a gradient.
        for w, x in zip(self.weights, inputs):  #: Each weight meets its own input.
            total = total + w * x  #: A product and a sum: two nodes for each input.
        return total.tanh()  #: The bend. Without it, layers in a row would be no more than one layer.

    def parameters(self):  #: What training moves, as one flat list. Inputs are none of it.
        return [*self.weights, self.bias]  #: The leaves themselves, no copies: a copy would be moved in vain.
