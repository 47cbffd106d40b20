"""In the ward, a complaint leaves many causes. Choose the instrument that comes closest to halving them.

The data sheet for 2 and 6, row by row for 3, the graph for 4 and 5, kept : fresh for 7, eight by heart for 8.
"""

diagnoses = {
    8: "softmax is used twice",
    3: "one row of the data is nonsense",
    4: "the graph is cut inside the network",
    5: "the targets are broadcast: each answer is compared with all of them",
    7: "gradients are never set to 0",
    6: "test rows are among the training rows",
    2: "the rows come sorted by class",
}
