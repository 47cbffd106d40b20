"""The microscope: a deep network's gradients layer by layer, and the two gains that make them shrink or grow."""

import math
from dataclasses import replace

from autograd.lessons.depth import TWELVE_LAYERS
from autograd.training import nn
from figures.labs.microscope_picture import draw
from figures.labs.microscope_slides import DEEPEST, FIXED, OWN, SCALES, WIDEST, factor, finite, make_slide, scale_of
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Input, Inputs, choice, switch, whole
from figures.page.player import Control, Frame, Player, Recording

TABLE = {
    f"{activation}, {init}{f' × {gain:g}' if gain != 1 else ''}{', residual' if residual else ''}": {
        **{"activation": activation, "init": init, "gain": gain, "residual": residual, "residual_scale": "1"},
        **{"depth": 12, "width": 32, "batch": 32},
    }
    for activation, init, gain, residual in TWELVE_LAYERS
}
PRESETS = {OWN: {}, **FIXED, **TABLE}
WIDEST_TEXT = (  # as long as the longest sentence
    "Each step back multiplies the gradient by 0.000e+00: the weights' gain 0.000e+00 times the activation's gain "
    "0.000e+00 times the residual scale 0.000e+00. After 29 steps, in layer 1, it is 0.000e+00 times as large. The "
    "geometric mean of first / last over seeds 0 to 4 is 0.000e+00: it explodes. The skip connections count with "
    "the weights. 100% of all units are dead."
)


def written_scale(value):
    """Return a residual scale as the text of a choice; raise ValueError or TypeError if it is invalid."""
    value = value if isinstance(value, str) else f"{finite(value, 'residual_scale'):g}"
    scale_of(value)
    return value


def one_of(name, options, label, what):
    return choice(name, options, label, says=f"{what} is one of: {'; '.join(options)}")


INPUTS = Inputs(
    one_of("preset", PRESETS, "network", "preset"),
    one_of("activation", nn.ACTIVATIONS, "activation", "activation"),
    one_of("init", nn.INITIALISATIONS, "initialisation", "initialisation"),
    Input(Control("range", "seed", "seed", min=0, max=99, step=1, whole=True), whole("seed", 0, 2**32 - 1).check),
    Input(Control("range", "gain", "gain", min=-2, max=1, step=0.02, log=True), factor),
    whole("depth", 2, DEEPEST),
    whole("width", 1, WIDEST),
    whole("batch", 1, WIDEST),
    switch("residual"),
    Input(Control("choice", "residual_scale", "residual scale", options=tuple(SCALES)), written_scale),
)


def microscope(
    activation="tanh",
    init="xavier",
    *,
    gain=1.0,
    depth=12,
    width=32,
    batch=32,
    residual=False,
    residual_scale=1.0,
    seed=0,
    preset=None,
):
    """Look at the gradients of a deep network, one row per layer: how large they are, and what made them so.

    On the left a histogram of |∂L/∂z| for each layer on a log axis, with its root mean square. On the right the two
    gains of each step back, from a layer to the one before: that of the weights and that of the activation; their
    product, and a residual scale's, is the ratio of the two layers' gradients. The product of all steps is first /
    last. The geometric mean of first / last over the seeds 0 to 4, whichever is shown, decides whether the gradient
    vanishes, arrives or explodes; a band shows the range of these seeds. Dead units have slope 0 for the whole batch.

    activation, init, gain, depth (2 to 30), width and batch (1 to 64), residual, residual_scale, seed: as in
    autograd.lessons.depth.deep_pass, which names the sources of the formulas; residual_scale is a number or one of "1",
    "1/√L", "1/√(2L)", "1/L". preset: one of PRESETS; "100 two-layer nets" and "twelve sigmoids" are figures of a
    published notebook, the others the networks of autograd.lessons.depth.TWELVE_LAYERS. Each argument has its control.
    Raise ValueError or TypeError if an argument is invalid.
    """
    asked = {"activation": activation, "init": init, "seed": seed, "gain": gain, "depth": depth, "width": width}
    asked |= {"batch": batch, "residual": residual, "residual_scale": residual_scale}
    values = INPUTS.checked({**asked, "preset": OWN if preset is None else preset})
    return Microscope({**values, **PRESETS[values["preset"]]})


class Microscope(Player):
    """The lab: its inputs, and its reaction to a change of one of them."""

    live = True

    def __init__(self, settings):
        self.slide, stage = make_slide(settings), FrameTemplate(draw)
        frame = Frame(self.slide.say, "", stage.updates(self.slide))
        recording = Recording("Gradient microscope", [frame], stage, self.slide.description(), room=WIDEST_TEXT)
        super().__init__(recording, controls=controls(settings))

    def answer(self, values, presses):
        """Draw a new picture; a preset sets the other inputs, and another input makes the network the learner's own."""
        asked = INPUTS.checked({**self.values, **values})
        changed = {name for name in asked if asked[name] != self.values[name]}
        if "preset" in changed:
            settings = {**asked, **PRESETS[asked["preset"]]}
        else:
            settings = {**asked, "preset": OWN} if changed else asked
        self.slide = make_slide(settings)
        self.values, self.controls = settings, controls(settings)
        moved = {control.name: {"disabled": control.disabled} for control in self.controls}
        for name, value in settings.items():
            moved[name] |= {"value": value} if value != asked[name] else {}
        self.show(self.recording.render.updates(self.slide), self.slide.say, controls=moved)

    def render_text(self):
        return "\n".join([self.slide.say, *self.slide.lines()])


def controls(settings):
    """Return the controls at these settings; those that change nothing are disabled."""
    made = {control.name: control for control in INPUTS.controls(**settings)}
    off = set() if settings["residual"] else {"residual_scale"}
    off |= made.keys() - {"preset"} if settings["preset"] in FIXED else set()
    power = math.log10(settings["gain"])
    made["gain"] = replace(made["gain"], min=min(-2, math.floor(power)), max=max(1, math.ceil(power)))
    made["seed"] = replace(made["seed"], max=max(99, settings["seed"]))
    scales = dict.fromkeys([*SCALES, settings["residual_scale"]])
    made["residual_scale"] = replace(made["residual_scale"], options=tuple(scales))
    return [replace(control, disabled=name in off) for name, control in made.items()]
