"""One pass forward and back through a deep network, layer by layer: why gradients vanish or explode."""

from dataclasses import dataclass

import numpy as np

from autograd.errors.validation import real, size
from autograd.errors.validation import seed as checked_seed
from autograd.tensor import Tensor, quiet
from autograd.training.nn import ACTIVATIONS, INITIALISATIONS

# Nine networks of twelve layers: activation, init, gain, residual.
TWELVE_LAYERS = (
    ("sigmoid", "xavier", 1.0, False),
    ("sigmoid", "normal", 1.0, False),
    ("tanh", "xavier", 1.0, False),
    ("tanh", "normal", 1.0, False),
    ("relu", "normal", 0.01, False),
    ("relu", "xavier", 1.0, False),
    ("relu", "he", 1.0, False),
    ("relu", "normal", 1.0, False),
    ("relu", "he", 1.0, True),
)


@dataclass(frozen=True, eq=False)
class DeepPass:
    """The results of `deep_pass`. Each array has layer l at index l - 1 of its first axis; |·| is the root mean square.

    Layer l computes z_l = h_{l-1} W_l + b_l, a_l = φ(z_l), and h_l = a_l; with residual, h_l = h_{l-1} + scale · a_l.
    Going back, ∂L/∂z_l is ∂L/∂h_l times φ'(z_l) (and scale), and ∂L/∂h_{l-1} is ∂L/∂z_l times W_lᵀ (with residual,
    plus ∂L/∂h_l). Each of these two steps has a gain: how many times larger |·| is after it than before it. So

        |∂L/∂z_{l-1}| / |∂L/∂z_l| = weights' gain of layer l × activation's gain of layer l - 1.

    For weights drawn independently, of variance v, between layers of n units, the weights' gain is about √(n v)
    (Glorot, Bengio 2010, equation 6; He et al. 2015, section 2.2): 1 for xavier, √2 for he. The activation's gain is
    about √(mean φ'(z)²): at most ¼ for sigmoid and 1 for tanh, about √½ for relu.
    """

    activation: str
    init: object
    gain: float
    residual: bool
    residual_scale: float
    seed: int
    pre_activations: np.ndarray  # z_l, shape (depth, batch, width)
    activations: np.ndarray  # a_l, shape (depth, batch, width)
    gradients: np.ndarray  # ∂L/∂z_l, shape (depth, batch, width)
    weight_gradients: np.ndarray  # ∂L/∂W_l, shape (depth, width, width), summed over the batch
    gradient_norms: np.ndarray  # |∂L/∂z_l|, shape (depth,)
    weights_gain: np.ndarray  # |∂L/∂h_{l-1}| / |∂L/∂z_l|, shape (depth,); with residual, the way around is in it
    activation_gain: np.ndarray  # |∂L/∂z_l| / |∂L/∂h_l|, shape (depth,); with residual, the scale is in it
    dead: np.ndarray  # the share of units with φ'(z) = 0 for every sample of the batch, shape (depth,)

    @property
    @quiet
    def ratio(self):
        """|∂L/∂z_1| / |∂L/∂z_depth|: the gradient at the first layer divided by that at the last; 1 if alike."""
        return self.gradient_norms[0] / self.gradient_norms[-1]


@quiet
def deep_pass(
    activation="tanh",
    init="xavier",
    *,
    gain=1.0,
    residual=False,
    residual_scale=1.0,
    depth=12,
    width=32,
    batch=32,
    seed=0,
):
    """Send a batch forward through `depth` layers of `width` units, and a gradient back; return a DeepPass.

    activation: one of ACTIVATIONS in autograd.training.nn. init: one of INITIALISATIONS there, or a function (rng, n)
    that returns an n × n array; `gain` multiplies each weight. The samples are drawn from N(0, 1), and L is the sum
    over the batch of v · h_depth with one v drawn from N(0, 1), so that ∂L/∂h_depth is v for each sample. Everything
    comes from `seed`. A gain is nan if no gradient arrives.
    """
    depth, width, batch = size(depth, "depth"), size(width, "width"), size(batch, "batch")
    gain, scale = real(gain, "gain"), real(residual_scale, "residual_scale")
    seed = checked_seed(seed)
    if not isinstance(activation, str) or activation not in ACTIVATIONS:
        raise ValueError(f"an activation is one of {', '.join(ACTIVATIONS)}; got {activation!r}.")
    if not callable(init) and (not isinstance(init, str) or init not in INITIALISATIONS):
        raise ValueError(f"init is one of {', '.join(INITIALISATIONS)}, or a function (rng, n); got {init!r}.")
    draw = init if callable(init) else lambda rng, n: drawn(INITIALISATIONS[init], rng, n)
    rng = np.random.RandomState(seed)  # NumPy never changes its streams; default_rng's may change

    h = Tensor(rng.standard_normal((batch, width)))
    weights, zs, activated, hs = [], [], [], [h]
    for _ in range(depth):
        weights.append(Tensor(gain * draw(rng, width)))
        biases = rng.uniform(-1, 1, width) if init == "uniform" else np.zeros(width)
        zs.append(h @ weights[-1] + biases)
        activated.append(zs[-1] if activation == "linear" else getattr(zs[-1], activation)())
        h = h + scale * activated[-1] if residual else activated[-1]
        hs.append(h)
    (h @ rng.standard_normal(width)).sum().backward()

    slopes = [np.ones(z.shape) if a is z else a._vjps[0](np.ones(z.shape)) for z, a in zip(zs, activated)]  # φ'(z)
    at_z, at_h = np.array([norm(z.grad) for z in zs]), np.array([norm(h.grad) for h in hs])
    return DeepPass(
        activation,
        init,
        gain,
        residual,
        scale,
        seed,
        pre_activations=np.array([z.data for z in zs]),
        activations=np.array([a.data for a in activated]),
        gradients=np.array([z.grad for z in zs]),
        weight_gradients=np.array([w.grad for w in weights]),
        gradient_norms=at_z,
        weights_gain=at_h[:-1] / at_z,
        activation_gain=at_z / at_h[1:],
        dead=np.array([(slope == 0).all(axis=0).mean() for slope in slopes]),
    )


def drawn(init, rng, n, units=None):
    """Draw the weights from n units to `units` of the next layer (None: n of them), an array, by an Initialisation."""
    shape = (n, n if units is None else units)
    return init.scale(*shape) * (rng.standard_normal(shape) if init.normal else rng.uniform(-1, 1, shape))


def norm(array):
    """Return the root mean square of an array, computed so that squares neither overflow nor vanish."""
    largest = np.abs(array).max()
    if largest == 0 or not np.isfinite(largest):
        return largest
    return largest * np.sqrt(np.mean((array / largest) ** 2))
