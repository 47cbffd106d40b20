"""How the programs of this folder begin: data, loaders, and the parts that several models share. Run as text."""

import itertools

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, TensorDataset

from autograd.lessons.digits import load_digits

digits = load_digits()
x, y = torch.tensor(digits.train[:600]).float(), torch.tensor(digits.train_labels[:600])
images, rows = x.view(-1, 1, 8, 8), x.view(-1, 8, 8)  # a picture as such, and as a sequence of eight lines
rng = np.random.RandomState(0)
readings = torch.tensor(rng.uniform(-1.7, 1.7, (300, 10))).float()  # ten a row, of which three decide
amount = (readings[:, 0] * readings[:, 1] + readings[:, 2]).unsqueeze(1) / 1.4
words = torch.tensor(rng.randint(0, 200, (400, 12)))  # a text is twelve of 200 words
mood = (words < 90).float().mean(1).gt(0.45).long()  # and its label says whether many of them are low
letters = torch.tensor(np.cumsum(rng.randint(0, 3, (300, 17)), 1) % 12)  # each is the one before, 0 to 2 further
ce = nn.CrossEntropyLoss()


def loader(*tensors, batch=50, **settings):
    """Return a DataLoader of tensors, in a new order each epoch."""
    return DataLoader(TensorDataset(*tensors), batch, **{"shuffle": True, **settings})


def mlp(*sizes, gate=nn.ReLU, start=None):
    """Return a network of linear layers. start: how weights begin."""
    layers = [nn.Linear(*pair) for pair in itertools.pairwise(sizes)]
    for each in layers if start else ():
        start(each.weight)
        nn.init.zeros_(each.bias)
    return nn.Sequential(*[part for each in layers for part in (each, gate())][:-1])


def sgd(model, lr=0.1, **settings):
    """Return the usual optimizer."""
    return torch.optim.SGD(model.parameters(), lr=lr, **settings)


def adam(model, lr=1e-3, **settings):
    """Return the other usual optimizer."""
    return torch.optim.Adam(model.parameters(), lr=lr, **settings)


def cnn(*between):
    """Return two convolutions and a linear layer for pictures of 8 × 8."""
    return nn.Sequential(
        *(nn.Conv2d(1, 8, 3, padding=1), *between, nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(256, 10)),
    )
