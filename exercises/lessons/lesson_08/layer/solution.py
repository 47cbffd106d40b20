"""Which of the two sizes says how many neurons there are, and which goes to `Neuron(…)`? Call `Neuron` once for each.

Calling: one output from each neuron, all for the same `inputs`. For the parameters use two loops in one list
comprehension: `[p for … in … for p in …]`, or add up lists with `+=`.
"""


class Layer:
    """Neurons that all read the same inputs."""

    def __init__(self, n_inputs, n_outputs):
        self.neurons = [Neuron(n_inputs) for _ in range(n_outputs)]

    def __call__(self, inputs):
        return [neuron(inputs) for neuron in self.neurons]

    def parameters(self):
        return [p for neuron in self.neurons for p in neuron.parameters()]
