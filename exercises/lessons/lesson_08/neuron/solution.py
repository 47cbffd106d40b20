"""Make a weight with `Value(random.uniform(-1, 1))`, inside a list comprehension that runs once for each input.

Start the sum at `self.bias`. Go over `zip(self.weights, inputs)` and add one product each. The tanh comes once, after
the loop. All parameters in one list: the weights unpacked with `*`, then the bias.
"""


class Neuron:
    """tanh(b + w1·x1 + … + wn·xn), with weights and bias drawn from -1 to 1."""

    def __init__(self, n_inputs):
        self.weights = [Value(random.uniform(-1, 1)) for _ in range(n_inputs)]
        self.bias = Value(random.uniform(-1, 1))

    def __call__(self, inputs):
        total = self.bias
        for w, x in zip(self.weights, inputs):
            total = total + w * x
        return total.tanh()

    def parameters(self):
        return [*self.weights, self.bias]
