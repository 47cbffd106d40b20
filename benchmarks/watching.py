"""`python -m benchmarks.watching`: how many times as long a PyTorch loop takes while `exercises.watch` watches it."""

import statistics
import time

import torch
from torch import nn

import exercises

MOST, ROUNDS, STEPS = 2.0, 7, 40  # times as long; of a loop with and without, in turn; of one loop
MODELS = {
    "two layers": (lambda: nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)), (32, 64)),
    "48 small layers": (
        lambda: nn.Sequential(*(layer for _ in range(12) for layer in block()), nn.Linear(64, 10)),
        (32, 64),
    ),
    "convolutions": (
        lambda: nn.Sequential(nn.Conv2d(1, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(), nn.Linear(10_816, 10)),
        (32, 1, 28, 28),
    ),
    "transformer": (
        lambda: nn.Sequential(
            nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 3),
            nn.Flatten(),
            nn.Linear(1024, 10),
        ),
        (16, 16, 64),
    ),
}


def block():
    return nn.Linear(64, 64), nn.LayerNorm(64), nn.ReLU(), nn.Dropout(0.1)


def train(model, optimizer, x, y):
    loss_fn = nn.CrossEntropyLoss()
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def seconds(make, shape, watch):
    """Return the processor time of a new model's training, with or without the watch around it."""
    torch.manual_seed(0)
    model = make()
    given = model, torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(shape), torch.randint(0, 10, shape[:1])
    start = time.process_time()
    if watch:
        with exercises.watch(*given):
            train(*given, x, y)
    else:
        train(*given, x, y)
    return time.process_time() - start


def main():
    """Measure each model, and print its ratio of medians."""
    torch.set_num_threads(1)
    for name, (make, shape) in MODELS.items():
        seconds(make, shape, True)  # imports, and the first calls
        rounds = [(seconds(make, shape, False), seconds(make, shape, True)) for _ in range(ROUNDS)]
        without, watched = (statistics.median(times) for times in zip(*rounds))
        verdict = "met" if watched <= MOST * without else "not met"
        print(
            f"{name}: {1e3 * without / STEPS:.2f} ms per step; watched {watched / without:.2f} times as long: {verdict}"
        )


if __name__ == "__main__":
    main()
