def learn_moons(points, labels):
    """A network that has learned the moons: above 0 for the label 1, below 0 for -1."""
    return ...


moons_net = learn_moons(points, labels)
