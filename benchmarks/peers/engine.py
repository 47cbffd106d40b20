"""The workloads, shared by all engines. A library adds its own leaves, tanh, relu, `record`.

A workload is a generator. It yields "setup" when it is ready, then the name of each phase as it ends, so that the
caller can read the clock or the memory in between; it returns its loss and gradients as plain numbers.
"""

from benchmarks import tasks


class Engine:
    """Gradient descent, for a library that has `record` (or `value_and_grad`) and a `model`."""

    def train(self, task):
        """Run W2, W3, or W4, whose one rate is None: no step is taken."""
        parameters, loss = self.model(task)
        yield "setup"
        for rate in task["rates"]:
            number, gradients = self.value_and_grad(loss, parameters)
            if rate is not None:
                self.descend(parameters, gradients, rate)
            yield "step"
        return {"loss": number, "gradients": self.to_floats(gradients, task)}

    deep = train

    def value_and_grad(self, loss, parameters):
        """Return the loss as a float, and its gradient by each parameter."""
        number, backward = self.record(loss, parameters)
        return number, backward()

    def descend(self, parameters, gradients, rate):
        """Change the list of parameters, if they are plain numbers or arrays."""
        for i, gradient in enumerate(gradients):
            parameters[i] = parameters[i] - rate * gradient


class Nodes:
    """A library in the manner of micrograd: a leaf has `data` and `grad`, and a root `backward()`."""

    def record(self, f, leaves):
        """Return f(leaves) as a float, and a function that returns its gradient by each leaf."""
        root = f(leaves)

        def backward():
            for leaf in leaves:
                leaf.grad = 0.0
            root.backward()
            return [leaf.grad for leaf in leaves]

        return float(root.data), backward

    def descend(self, parameters, gradients, rate):
        for parameter, gradient in zip(parameters, gradients):
            parameter.data -= rate * gradient


class Numbers(Engine):
    """An engine whose nodes are single numbers."""

    leaf = float

    def graph(self, task):
        """Run W1 or W6: build a graph, run it backward, and free it."""
        leaves, build = [self.leaf(x) for x in task["leaves"]], SHAPES[task["shape"]]
        yield "setup"
        number, backward = self.record(lambda leaves: build(leaves, task["ops"], self.tanh, self.relu), leaves)
        yield "build"
        gradients = backward()
        yield "backward"
        del backward
        yield "free"
        return {"loss": number, "gradients": self.to_floats(gradients, task)}

    def model(self, task):
        """Return the parameters, and the loss as a function of them."""
        parameters, network = self.network(task)

        def loss(parameters):
            predict = network(parameters)
            outputs = [predict(row) for row in task["rows"]]
            if task["loss"] == "sum of squares":
                return total([(output - target) ** 2 for output, target in zip(outputs, task["targets"])])
            margins = [self.relu(1 + -target * output) for output, target in zip(outputs, task["targets"])]
            return total(margins) * (1 / len(margins)) + 1e-4 * total([p * p for p in parameters])

        return parameters, loss

    def network(self, task):
        """Return the parameters, and a function from these to the function from a row to the network's output."""
        activations = {"tanh": self.tanh, "relu": self.relu, "linear": lambda x: x}
        hidden, last = activations[task["activation"]], activations[task["output"]]

        def network(parameters):
            *layers, (output,) = tasks.layers(parameters, task["sizes"])

            def predict(row):
                row = self.inputs(row)
                for layer in layers:
                    row = [hidden(weighted_sum(weights, row, bias)) for weights, bias in layer]
                return last(weighted_sum(output[0], row, output[1]))

            return predict

        return [self.leaf(x) for x in task["parameters"]], network

    def inputs(self, row):
        """Return a row of plain numbers in this library's form."""
        return row

    def to_floats(self, gradients, task):
        """Return the gradients as floats."""
        return [float(gradient) for gradient in gradients]


class Arrays(Engine):
    """An engine whose nodes are arrays."""

    windows = Engine.train

    def model(self, task):
        """Return the parameters, and the loss as a function of them."""
        (parameters, loss), batch = self.batch_model(task), self.batch(task)
        return parameters, lambda parameters: loss(parameters, *batch)

    def batch(self, task):
        """Return the inputs of a task's loss, and the targets."""
        if task["kind"] == "deep":
            return self.constant(task["rows"]), self.constant(task["v"])
        rows = task["rows"] if task["kind"] == "windows" else self.constant(task["rows"])
        if task["loss"] == "cross entropy":
            return self.whole(rows) if task["kind"] == "windows" else rows, self.whole(task["targets"])
        return rows, self.constant([[target] for target in task["targets"]])

    def batch_model(self, task):
        """Return the parameters, and the loss as a function of them and of a batch."""
        if task["kind"] == "deep":
            return [self.leaf(w) for w in task["weights"]], self.deep_loss
        if task["kind"] == "windows":
            return [self.leaf(w) for w in task["parameters"]], self.window_loss
        parameters, network = self.network(task)

        def loss(parameters, rows, targets):
            outputs = network(parameters)(rows)
            if task["loss"] == "cross entropy":
                return self.cross_entropy(outputs, targets)
            if task["loss"] == "sum of squares":
                return ((outputs - targets) ** 2).sum()
            margin = self.max_margin(outputs, targets)
            return margin + task["decay"] * total([(p * p).sum() for p in parameters]) if task["decay"] else margin

        return parameters, loss

    def deep_loss(self, weights, h, v):
        """Return W4's loss."""
        for w in weights:
            h = self.tanh(h @ w)
        return (h @ v).sum()

    def window_loss(self, parameters, rows, targets):
        """Return the loss of lesson 10's network of windows, which looks up its letters in E."""
        E, b, U, c, *W = parameters
        a = b
        for k, w in enumerate(W):
            a = a + E[rows[:, k]] @ w
        return self.cross_entropy(self.affine(self.tanh(a), U, c), targets)

    def network(self, task):
        """Return the parameters, and a function from these to the function from all rows to the network's outputs."""
        activations = {"tanh": self.tanh, "relu": self.relu, "linear": lambda x: x}
        functions = [activations[task["activation"]]] * (len(task["sizes"]) - 2) + [activations[task["output"]]]

        def network(parameters):
            def predict(h):
                for weights, biases, function in zip(parameters[::2], parameters[1::2], functions):
                    h = function(self.affine(h, weights, biases))
                return h

            return predict

        return [self.leaf(x) for x in tasks.to_matrices(task["parameters"], task["sizes"])], network

    def affine(self, h, weights, biases):
        return h @ weights + biases

    def max_margin(self, outputs, targets):
        """Return the mean of max(0, 1 - target · output)."""
        return self.relu(1 - targets * outputs).mean()

    def to_floats(self, gradients, task):
        """Return the gradients as floats, neuron by neuron, in the order of the task's parameters."""
        if task["kind"] == "train":
            return tasks.from_matrices([gradient.tolist() for gradient in gradients])
        return [number for gradient in gradients for number in gradient.reshape(-1).tolist()]


def chain(leaves, ops, tanh, relu):
    """Chain ten ops at a time, each on the result of the one before: as deep as there are ops."""
    fours = [leaves[i : i + 4] for i in range(0, len(leaves), 4)]
    x = leaves[0]
    for i in range(ops // 10):
        a, b, c, d = fours[i % len(fours)]
        x = tanh((x * a + b) * c + d)
        x = relu((x * d + c) * b + a)
    return x


def balanced(leaves, ops, tanh, relu):
    """Build a tree: five ops join two results, and so on, level by level, until one is left."""
    level = [leaves[i % len(leaves)] for i in range(ops // 5 + 1)]
    a, b, c = leaves[:3]
    function, other = tanh, relu
    while len(level) > 1:
        joined = [function(x * a + y * b + c) for x, y in zip(level[::2], level[1::2])]
        level = joined + level[2 * len(joined) :]
        function, other = other, function
    return level[0]


SHAPES = {"chain": chain, "balanced": balanced}


def weighted_sum(weights, inputs, bias):
    """Return bias + w₁x₁ + … + wₙxₙ, one op at a time."""
    for weight, x in zip(weights, inputs):
        bias = bias + weight * x
    return bias


def total(terms):
    """Return the sum, added from left to right."""
    first, *rest = terms
    for term in rest:
        first = first + term
    return first
