"""Every picture and every live figure of the notebooks."""

from figures import display
from figures.charts import gradient_histogram, layer_gradients
from figures.graph import draw_graph
from figures.labs.neuron import neuron
from figures.labs.step import step_backward, step_forward, step_through

__all__ = [
    "draw_graph",
    "gradient_histogram",
    "layer_gradients",
    "neuron",
    "step_backward",
    "step_forward",
    "step_through",
]

display.install()
