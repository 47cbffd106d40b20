"""Which of the two sizes says how many neurons there are, and which goes to `Neuron(…)`? Call `Neuron` once for each.

When called, it gives one output from each neuron, all for the same `inputs`. For the parameters use two loops in one
list comprehension: `[p for … in … for p in …]`, or add up lists with `+=`.
"""


class Layer:  #: Neurons side by side.
    """Neurons that all read the same inputs."""

    def __init__(self, n_inputs, n_outputs):  #: How many numbers each neuron reads; how many neurons there are.
        self.neurons = [Neuron(n_inputs) for _ in range(n_outputs)]  #: `Neuron` is called anew for each, so all differ.

    def __call__(self, inputs):  #: Python calls this for `thing(inputs)`. Each call builds a new graph.
        return [neuron(inputs) for neuron in self.neurons]  #: All read the same inputs; each gives one answer.

    def parameters(self):  #: What training moves, as one flat list. Inputs are none of it.
        return [p for neuron in self.neurons for p in neuron.parameters()]  #: The first neuron's, then the second's, …
