"""The engines that are compared. Each is a small class, in a module that imports only one library."""

import importlib
from dataclasses import dataclass
from types import MappingProxyType

BENCH = 'pip install -e ".[bench]"'
HIPS = "python -m benchmarks --install-peers"
ON_NUMBERS, ON_ARRAYS = "numbers", "arrays"


@dataclass(frozen=True)
class Peer:
    """One row of the tables."""

    name: str
    place: str  # its module in benchmarks.peers, and its class
    nodes: str  # what its nodes hold: numbers or arrays
    workloads: tuple
    packages: tuple = ()  # whose versions are recorded
    install: str = ""  # the command that brings it
    own_environment: bool = False


GRAPHS, TRAINING, LAYERS = ("W1", "W2", "W3", "W6"), ("W2", "W3"), ("W2", "W3", "W4", "W8")
PEERS = MappingProxyType(
    {
        "every op": Peer("this engine, every op a node", "this_engine:EveryOp", ON_NUMBERS, GRAPHS),
        "neurons": Peer("this engine, neurons as nodes", "this_engine:Neurons", ON_NUMBERS, TRAINING),
        "micrograd": Peer("micrograd", "micrograd:Micrograd", ON_NUMBERS, GRAPHS, ("micrograd",), BENCH),
        "PyTorch 0-d": Peer("PyTorch, 0-d", "pytorch:ZeroD", ON_NUMBERS, GRAPHS, ("torch",), BENCH),
        "HIPS floats": Peer("HIPS autograd, floats", "hips:Floats", ON_NUMBERS, GRAPHS, ("autograd",), HIPS, True),
        "Python by hand": Peer("Python floats by hand", "python_by_hand:Floats", ON_NUMBERS, TRAINING),
        "Tensor": Peer("this engine, Tensor", "this_engine:Tensors", ON_ARRAYS, LAYERS, ("numpy",)),
        "PyTorch arrays": Peer("PyTorch, arrays", "pytorch:Arrays", ON_ARRAYS, LAYERS, ("torch",), BENCH),
        "HIPS arrays": Peer(
            "HIPS autograd, arrays", "hips:Arrays", ON_ARRAYS, LAYERS, ("autograd", "numpy"), HIPS, True
        ),
        "NumPy by hand": Peer("NumPy by hand", "numpy_by_hand:Arrays", ON_ARRAYS, LAYERS, ("numpy",)),
        "recorded": Peer("this engine, recorded", "this_engine:Recorded", ON_NUMBERS, TRAINING),
        "recorded rows": Peer("this engine, one row recorded", "this_engine:RecordedRows", ON_NUMBERS, TRAINING),
        "recorded Tensor": Peer(
            "this engine, Tensors recorded", "this_engine:RecordedTensors", ON_ARRAYS, LAYERS, ("numpy",)
        ),
    }
)


def load(key):
    """Return the engine of a peer; raise ImportError if its library is not installed."""
    module, name = PEERS[key].place.split(":")
    return getattr(importlib.import_module(f"benchmarks.peers.{module}"), name)()
