"""The instruments that look at a program's data: its sheet of numbers, its rows."""

import numpy as np

from exercises.clinic.numbers import numbers, rounded, size
from exercises.clinic.readings import dial

LOOKED_AT = 300  # rows whose gradients are read one by one
ALONE = 8  # copies of a row that make a batch: a loss may need more than one row
COPY, EQUAL = 0.3, 1e-5  # of the usual distance to the nearest row: nearer ones are copies with noise, or exact
COLUMNS = 4  # the fewest for which copies with noise can be recognised: with fewer, some rows are as near by chance
LEAK = 0.01  # of the test's rows: if more than this have a copy in the training data, the test has leaked


def sheet(run):
    """Return numbers of the data: scales before, after and of the test; classes per batch; neighbours."""
    run = yield from run.program.trained()
    before, classes = run.before, bool(run.program.CLASSES)
    near = distances(run.test_x, before).min(axis=1)
    yield
    among = distances(before, before)
    np.fill_diagonal(among, np.inf)
    usual = max(np.quantile(near, 0.9), np.quantile(among.min(axis=1), 0.9))  # so it holds even if most have a copy
    own = run.program.CLASSES
    return {
        "train": (float(before.mean()), float(before.std())),
        "test": (float(run.test_x.mean()), float(run.test_x.std())),
        "after": float(run.x.std()),
        "largest": float(np.abs(before).max()),
        "usual": float(np.quantile(np.abs(before), 0.99)),
        "classes": float(np.mean(run.classes)) if classes else None,
        "possible": min(own, run.program.BATCH) if classes else None,
        "near": float(np.median(near)),
        "among": float(np.median(among.min(axis=1))),
        "copies": copies(near, usual, before.shape[1]),
        "tested": len(near),
        "same": float((run.y[among.argmin(axis=1)] == run.y).mean()) if classes else None,
    }


def copies(near, usual, columns):
    """Return how many rows have a copy. near: the distance of each to its nearest; usual: that of rows without a copy.

    Rows within a share of the usual distance are copies with noise, if few lie just beyond: rows near by chance would.
    """
    with_noise, beyond = (near <= COPY * usual).sum(), (near <= 1.5 * COPY * usual).sum()
    is_gap = columns >= COLUMNS and with_noise > 1.5 * (beyond - with_noise)
    return int(with_noise if is_gap else (near <= EQUAL * usual).sum())


def distances(a, b):
    """Return the distance of each row of a to each row of b."""
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
    return np.sqrt(squares.clip(0))


@dial("inputs", "usual")
def scale(found):
    if found["largest"] > 30 * found["usual"]:
        return "one far out"
    return "large" if found["usual"] > 6 else "usual"


@dial("test compared with train", "alike")
def split(found):
    (mean, spread), (test_mean, test_spread) = found["train"], found["test"]
    if found["near"] < 0.5 * found["among"] or found["copies"] > LEAK * found["tested"]:
        return "copies"
    apart = abs(mean - test_mean) > 0.25 * spread or not 0.67 < test_spread / spread < 1.5
    return "another scale" if apart and found["largest"] <= 30 * found["usual"] else "alike"


@dial("data during training", "unchanged")
def change(found):
    return "changed" if abs(found["after"] - found["train"][1]) > 0.01 * found["train"][1] else "unchanged"


@dial("classes in a batch", "mixed")
def mixture(found):
    return "few" if found["classes"] is not None and found["classes"] < 0.5 * found["possible"] else "mixed"


@dial("labels of neighbours", "fit")
def labels(found):
    return "do not fit" if found["same"] is not None and found["same"] < 0.6 else "fit"


def sheet_says(found):
    words = [
        f"Mean and spread: train {numbers(found['train'])}, test {numbers(found['test'])}; after training spread "
        f"{rounded(found['after'])}. Largest {rounded(found['largest'])}.",
        f"Nearest training row: of a test row {rounded(found['near'])}, of another such row {rounded(found['among'])}.",
    ]
    if found["copies"]:
        words.append(f"Test rows with a near copy among the training rows: {found['copies']} of {found['tested']}.")
    if found["classes"] is not None:
        words.append(
            f"Classes per batch {rounded(found['classes'])}; same label as the nearest row: "
            f"{100 * found['same']:.0f} %."
        )
    return " ".join(words)


def rows(run):
    """Return the gradient's size for each single row; and on how many rows of a batch the loss depends."""
    sizes = []
    for x, y in zip(run.x[:LOOKED_AT, None], run.y[:LOOKED_AT, None]):
        run.clear()
        run.program.loss(run.layers, np.repeat(x, ALONE, axis=0), np.repeat(y, ALONE, axis=0)).backward()
        sizes.append(size(*run.gradients()))
        yield
    x, y = (each[:50] for each in run.first_batch())
    rng, own = np.random.RandomState(1), run.program.CLASSES
    for p in run.parameters:  # so that no two answers are alike
        p.data = p.data + 0.1 * rng.standard_normal(p.data.shape)
    whole, counted = float(run.program.loss(run.layers, x, y).data), 0
    for i in range(len(y)):
        other = y.copy()
        other[i] = (other[i] + 1) % own if own else other[i] + 1
        counted += float(run.program.loss(run.layers, x, other).data) != whole
    worst = int(np.argmax(sizes))
    return {"sizes": sizes, "median": float(np.median(sizes)), "row": worst, "counted": counted, "of": len(y)}


@dial("gradients of rows", "alike")
def outlier(found):
    largest = found["sizes"][found["row"]]
    return "one far out" if largest > 100 * found["median"] > 0 else "alike"


@dial("rows that count", "all")
def counted(found):
    return "all" if found["counted"] == found["of"] else "a part"


def rows_say(found):
    largest = found["sizes"][found["row"]]
    return (
        f"Gradients of {len(found['sizes'])} rows, each alone: median {rounded(found['median'])}, largest "
        f"{rounded(largest)} (row {found['row']}). Rows of a batch that change the loss: {found['counted']} of "
        f"{found['of']}."
    )
