"""In the ward, the curve and the complaint leave several causes. Take the instrument that comes
nearest to halving them.

Eight by heart for 2, row by row for 3, the graph for 4 and 5, kept : fresh for 6, the data sheet for 7 and 8.
"""

diagnoses = {
    2: "softmax is used twice",
    3: "one row of the data is nonsense",
    4: "the graph is cut inside the network",
    5: "the targets are broadcast: each answer is compared with all of them",
    6: "gradients are never set to 0",
    7: "rows of the test are among those to learn from",
    8: "the rows come in the order of their classes",
}
