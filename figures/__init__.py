"""Every picture and every live figure of the notebooks."""

from figures import display
from figures.charts import gradient_histogram, layer_gradients
from figures.graph import draw_graph
from figures.labs.lottery import lottery
from figures.labs.microscope import microscope
from figures.labs.neuron import neuron
from figures.labs.nudge import nudge
from figures.labs.step import step_backward, step_forward, step_through
from figures.labs.xor import xor
from figures.network import draw_network

__all__ = [
    "draw_graph",
    "draw_network",
    "gradient_histogram",
    "layer_gradients",
    "lottery",
    "microscope",
    "neuron",
    "nudge",
    "step_backward",
    "step_forward",
    "step_through",
    "xor",
]

display.install()
