"""z = 0.5 · 2 + 0.3. The error is z - 5, and the loss is its square. Going backward, the first local derivative is that
of a square: twice what is squared.

∂L/∂z = 2 · (z - 5). The bias receives that times 1, the weight that times the other factor, x.
"""

by_hand = {
    "z": 1.3,
    "loss": 13.69,
    "w.grad": -14.8,
    "b.grad": -7.4,
}
