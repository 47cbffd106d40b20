"""The time that recomputing segments costs, and the memory it saves: `python -m benchmarks.segments`.

Run it with OMP_NUM_THREADS=1. Rounds are interleaved in one process, and times are processor times. A pass is timed
after another one like it, as in training: how much fresh memory it needs from the system depends on what was freed
before. A figure is a median of ratios within a round. The peak is what Python's allocator counts, in a separate run.
"""

import statistics
import time
import tracemalloc

from autograd.lessons.recompute import backward, deep_network
from autograd.tensor import Tensor
from benchmarks.report import table

ROUNDS = 21
LAYERS = 64
SIZES = ((64, 512), (64, 64), (256, 512))  # of a layer, and of the batch
SEGMENTS = (LAYERS, 32, 16, 8, 4, 3, 2, 1)


def seconds(network, every):
    """Return the processor time of one pass forward and back, after another one."""
    layers, _, inputs = network
    backward(layers, inputs, Tensor.mean, every)
    start = time.process_time()
    backward(layers, inputs, Tensor.mean, every)
    return time.process_time() - start


def peak(width, batch, every):
    """Return the most bytes that a pass holds besides the network."""
    layers, _, inputs = deep_network(LAYERS, width, batch)
    tracemalloc.start()
    try:
        backward(layers, inputs, Tensor.mean, every)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def rows(width, batch, rounds=ROUNDS):
    """Yield for each segment length its peak, the layers that run twice, and its time relative to one segment."""
    network, ratios = deep_network(LAYERS, width, batch), {every: [] for every in SEGMENTS}
    for _ in range(rounds):
        kept = seconds(network, LAYERS)
        for every in SEGMENTS:
            ratios[every].append(seconds(network, every) / kept)
    for every in SEGMENTS:
        name = "all is kept" if every == LAYERS else f"segments of {every}"
        megabytes = f"{peak(width, batch, every) / 1e6:.1f} MB"
        yield [name, megabytes, str(LAYERS - every), f"{statistics.median(ratios[every]):.2f}"]


def main():
    """Measure and print."""
    for width, batch in SIZES:
        header = [f"{LAYERS} layers of {width}, batch {batch}", "peak", "run a second time", "times the time"]
        print(table(header, list(rows(width, batch))), end="\n\n")


if __name__ == "__main__":
    main()
