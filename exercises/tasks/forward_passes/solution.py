"""Count for one weight first, then for two. Which run can you use again?

One run with nothing nudged serves all the slopes. Each weight adds one more run, with that weight nudged.
"""


def forward_passes(n):
    """How many runs it takes to find n slopes by nudging each weight up once."""
    return n + 1
