"""Make an `MLP` with a hidden layer that bends, such as sixteen tanh neurons, and a linear output. Then come the four
steps.

A step does not need all points: ten drawn with `rng.sample(range(100), 10)` are enough. With `autograd.hinge` and a
learning rate of 0.7, 300 such steps are enough.
"""


def learn_moons(points, labels):
    """A network that has learned the moons: above 0 for the label 1, below 0 for -1."""
    rng = random.Random(0)
    net = autograd.MLP(2, [16, 1], "tanh", "linear", rng=rng)
    for _ in range(300):
        batch = rng.sample(range(len(points)), 10)
        loss = autograd.hinge([net(points[i]) for i in batch], [labels[i] for i in batch])
        net.zero_grad()
        loss.backward()
        for p in net.parameters():
            p.data -= 0.7 * p.grad
    return net


moons_net = learn_moons(points, labels)
