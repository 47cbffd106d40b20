"""Every picture and every live figure of the notebooks.

The rooms, and from which others each may import; a test holds the imports to this drawing:

    authors   `new` labs, commands, templates           → gallery
    gallery   rendered pictures for README and lessons  → labs, passes, charts, graph, page
    labs      live figures, one module each             → training, passes, charts, graph, page
    training  training runs for the labs                → graph, page
    passes    passes, step by step                      → graph, page
    charts    curves, histograms, maps                  → graph, page
    graph     a graph as a picture                      → page
    page      player, pen, inputs, styles               → none
"""

import autograd

if not hasattr(autograd, "Value"):
    raise ImportError(
        f"`import autograd` found another library of that name, in {autograd.__file__}. Open lesson 00: its "
        "self-test says what to do."
    )

from figures.charts import display
from figures.charts.colour_card import colour_card
from figures.charts.decision import decision_map
from figures.charts.pictures import pictures
from figures.charts.static_charts import curves, gradient_histogram, layer_gradients
from figures.graph.draw import draw_graph, graph_dot
from figures.graph.network import draw_network
from figures.graph.pytorch import torch_graph
from figures.labs.attention import attention
from figures.labs.attention_map import attention_map
from figures.labs.border import border
from figures.labs.broadcast import broadcast
from figures.labs.classifier import classifier
from figures.labs.clip import clip
from figures.labs.deep_training import deep_training
from figures.labs.depth_first import depth_first
from figures.labs.descent import descent
from figures.labs.dragged import drag
from figures.labs.embedding import embedding
from figures.labs.expression import expression
from figures.labs.forward_mode import forward_mode
from figures.labs.goal import goal
from figures.labs.jacobian import jacobian
from figures.labs.matmul import matmul
from figures.labs.memory import memory
from figures.labs.microscope import microscope
from figures.labs.neuron import neuron
from figures.labs.nudge import nudge
from figures.labs.order import order
from figures.labs.paths import paths
from figures.labs.policy import policy
from figures.labs.sampling import sampling
from figures.labs.shape import shape
from figures.labs.stale import stale
from figures.labs.step import step_backward, step_forward, step_through
from figures.labs.together import lottery
from figures.labs.writes import writes
from figures.labs.xor import xor

__all__ = [
    "attention",
    "attention_map",
    "border",
    "broadcast",
    "classifier",
    "clip",
    "colour_card",
    "curves",
    "decision_map",
    "deep_training",
    "depth_first",
    "descent",
    "drag",
    "draw_graph",
    "draw_network",
    "embedding",
    "expression",
    "forward_mode",
    "goal",
    "gradient_histogram",
    "graph_dot",
    "jacobian",
    "layer_gradients",
    "lottery",
    "matmul",
    "memory",
    "microscope",
    "neuron",
    "nudge",
    "order",
    "paths",
    "pictures",
    "policy",
    "sampling",
    "shape",
    "stale",
    "step_backward",
    "step_forward",
    "step_through",
    "torch_graph",
    "writes",
    "xor",
]

display.install()
