def one(model, rows, rounds):  # each round: one update, by the gradient of this round
    for _ in range(rounds):
        model.loss(rows).backward()
        model.step()


def two(model, rows, rounds):  # the same
    for _ in range(rounds):
        model.loss(rows).backward()
        model.zero_grad()
        model.step()


def three(model, batches, rounds):  # an update for each batch, by its gradient alone
    model.zero_grad()
    for _ in range(rounds):
        for rows in batches:
            model.loss(rows).backward()
            model.step()


def four(model, batches, rounds):  # each round: one update, by the sum of its batches
    for _ in range(rounds):
        for rows in batches:
            model.zero_grad()
            model.loss(rows).backward()
        model.step()
