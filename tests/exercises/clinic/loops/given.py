# ruff: noqa: F401
import copy
from collections import deque

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_
from torch.optim import SGD, Adam, AdamW
from torch.optim import lr_scheduler as schedules

torch.manual_seed(0)
X = torch.randn(160, 8)
Y = (X[:, 0] > 0).long() + (X[:, 1] > 0).long()
batches = [(X[i : i + 8], Y[i : i + 8]) for i in range(0, 160, 8)]
val = batches[:3]
loss_fn = nn.CrossEntropyLoss()


def mlp(*more, out=3):
    return nn.Sequential(nn.Linear(8, 16), *more, nn.ReLU(), nn.Linear(16, out))


model = mlp()
opt = SGD(model.parameters(), lr=0.1)
drop = mlp(nn.BatchNorm1d(16), nn.Dropout(0.2))
