"""z = 0.5 · 2 + 0.3, and relu is open there. The error is output - 5, and the loss is its square. Going backward, the
first local derivative is that of a square: twice what is squared.

relu passes on 2 · (output - 5) where it is open, and 0 where it is shut. The bias receives that times 1, the weight
that times the other factor, x.
"""

by_hand = {
    "z": 1.3,
    "output": 1.3,
    "loss": 13.69,
    "w.grad": -14.8,
    "b.grad": -7.4,
    "w.grad if b = -1.3": 0.0,
}
