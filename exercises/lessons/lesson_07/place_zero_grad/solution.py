"""Say for each loop which gradients an update is to be made of. The gradients are cleared when the last of what is not
to count has been added, and before the first of what is.

In `one` and `two` that is at the start of each round, and in `three` at the start of each batch. In `four` the batches
of a round belong together, so it is before the inner loop.
"""


def one(model, rows, rounds):  # each round: one update, by the gradient of this round
    for _ in range(rounds):
        model.zero_grad()
        model.loss(rows).backward()
        model.step()


def two(model, rows, rounds):  # the same
    for _ in range(rounds):
        model.zero_grad()
        model.loss(rows).backward()
        model.step()


def three(model, batches, rounds):  # an update for each batch, by its gradient alone
    for _ in range(rounds):
        for rows in batches:
            model.zero_grad()
            model.loss(rows).backward()
            model.step()


def four(model, batches, rounds):  # each round: one update, by the sum of all its batches
    for _ in range(rounds):
        model.zero_grad()
        for rows in batches:
            model.loss(rows).backward()
        model.step()
