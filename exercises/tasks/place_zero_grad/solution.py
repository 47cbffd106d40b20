"""For each loop, say which gradients should make up an update. Clear the gradients after the last one that should not
count, and before the first one that should.

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


def four(model, batches, rounds):  # each round: one update, by the sum of its batches
    for _ in range(rounds):
        model.zero_grad()
        for rows in batches:
            model.loss(rows).backward()
        model.step()
