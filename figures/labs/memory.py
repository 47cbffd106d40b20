"""The memory lab: the arrays that wait for the backward pass, and what recomputing them in segments saves."""

import functools
import itertools
import math
from dataclasses import dataclass

from autograd.lessons.recompute import cut, deep_network, held
from autograd.tensor import Tensor
from figures.graph.stage import question, readings
from figures.page import svg
from figures.page.frame_recorder import CachedFragment, FrameTemplate
from figures.page.inputs import Inputs, choice
from figures.page.panels import Panels
from figures.page.picture import labelled
from figures.page.player import Frame, Player
from figures.page.svg import Scale, label

SEGMENTS = 1, 2, 4, 8, 16, 32, 64
LAYERS = 16, 32, 64
WIDTH, BATCH = 64, 512  # the size of a layer and of a batch: an array has 32,768 numbers

LEFT, RIGHT, BLOCK = 44, 690, 11  # pixels: the left and right end of the columns, and the height of an array
FLOOR, CURVE = 132, (356, 186)  # the foot of the columns, and both ends of the curve's axis
WIDE, HEIGHT, PEAKS = RIGHT + 20, 400, 320
ROW, FIRST, BAR = 44, 78, (34, 240)  # pixels: of the peaks, a row, the first row, and the bars' axis
BLOCKS = {"input": range(1), "graph": range(1, 5), "grads": range(5, 7)}  # places of arrays in a column, from below
NAMES = {"input": "a layer's input", "graph": "made forward", "grads": "made backward"}

INPUTS = Inputs(choice("segment", map(str, SEGMENTS), "layers in a segment"), choice("layers", map(str, LAYERS)))


def memory(segment=8, layers=64, *, predict=False):
    """Run one pass forward and back through a deep network: the arrays each layer holds at each moment, and all bytes.

    segment: how many layers a segment has, 1, 2, 4 and on to 64. Of a segment only the first layer's input is kept, and
    the rest is recomputed when the backward pass reaches it. With one segment all is kept. layers: 16, 32 or 64, each
    tanh of 64 units, for a batch of 512. Parameters and their gradients, which are always held, are not counted.
    predict: before the first step the learner may type which segment length has the lowest peak.
    """
    controls = INPUTS.controls(segment=str(segment), layers=str(layers))
    return Player(controls=controls, record=functools.partial(record, predict=predict))


@dataclass(frozen=True)
class Sizes:
    """Bytes, measured on the engine: of an array between two layers, of a layer's graph, and of the gradients in it."""

    array: int
    graph: int
    grads: int


@dataclass(frozen=True)
class Moment:
    """The arrays held after a layer's work, forward, again or back; layers are counted from 0.

    inputs: the layers whose input waits. graph: the layers whose graph is held. grads: those whose gradients are found.
    bytes: all of it. computed: runs of a layer so far.
    """

    kind: str
    layer: int
    inputs: tuple
    graph: range
    grads: range
    computed: int
    bytes: int


@functools.cache
def sizes():
    """Return the Sizes of a layer: what the graph of two layers holds more than that of one."""
    stack, _, batch = deep_network(2, WIDTH, BATCH)
    one, two = stack[0](Tensor(batch)), stack[1](stack[0](Tensor(batch)))
    before = held(one), held(two)
    for end in (one, two):
        end.mean().backward()
    graph, grown = before[1] - before[0], held(two) - held(one)
    return Sizes(batch.nbytes, graph, grown - graph)


def moments(layers, every, size):
    """Yield the Moments of a pass through `layers` layers, in segments of `every`, for Sizes."""
    segments = [range(segment[0], segment[-1] + 1) for segment in cut(range(layers), every)]
    last, computed = segments[-1], 0

    def moment(kind, layer, inputs, graph, grads=range(0)):
        copies = 2 * size.array if inputs and graph else 0  # of a segment's input: its leaf's, and that for the VJP
        forward = len(inputs) * size.array + copies + len(graph) * size.graph
        back = len(grads) * size.grads + bool(grads) * size.array  # the latter is the gradient of the segment's input
        return Moment(kind, layer, inputs, graph, grads, computed, forward + back)

    for segment in segments:
        waiting = tuple(each.start for each in segments[: segments.index(segment) + 1])
        for layer in segment:
            computed += 1
            yield moment("forward", layer, waiting, range(last.start if segment is last else layer, layer + 1))
    for place, segment in reversed(list(enumerate(segments))):
        waiting = tuple(each.start for each in segments[: place + 1])
        for layer in segment if segment is not last else ():
            computed += 1
            yield moment("again", layer, waiting, range(segment.start, layer + 1))
        for layer in reversed(segment):
            yield moment("back", layer, waiting, segment, range(layer, segment.stop))
    yield moment("done", 0, (), range(0))


def larger(one, other):
    return other if other.bytes > one.bytes else one


def peaks(layers):
    """Return {segment length: the Moment of its peak}, for lengths up to the network's."""
    lengths = [every for every in SEGMENTS if every <= layers]
    return {every: functools.reduce(larger, moments(layers, every, sizes())) for every in lengths}


@INPUTS.check
def record(segment, layers, predict):
    """Return the Recording: a frame for each moment, and one that compares the peaks."""
    layers = int(layers)
    every, size, best = min(int(segment), layers), sizes(), peaks(layers)
    course = list(moments(layers, every, size))
    most = list(itertools.accumulate(course, larger))
    x, y = Scale(0, len(course), LEFT, RIGHT), Scale(0, 1.15 * most[-1].bytes / 1e6, *CURVE)
    curves = svg.growing([(i + 1, moment.bytes / 1e6) for i, moment in enumerate(course)], x, y)
    columns = CachedFragment(stacks, layers)
    stage = FrameTemplate(functools.partial(draw, columns=columns, layers=layers, axes=(x, y), peaks=best))
    frames = [
        Frame(
            describe_moment(moment, layers, every),
            format_progress(moment, layers),
            stage.updates(moment, i, curves[i], most[i], {every: most[i]}),
            asked(layers, best) if predict and i == 1 else None,
        )
        for i, moment in enumerate(course)
    ]
    updates = stage.updates(course[-1], len(course) - 1, curves[-1], most[-1], best)
    frames.append(Frame(compared(layers, best, every), "Peaks", updates))
    kept = "everything is kept" if every == layers else f"segments of {every}"
    alt = (
        f"{layers} layers, one column of arrays each: the input that waits, what the layer made forward, what it made "
        "backward. Below, all bytes held over time; next to it, the peak for each segment length."
    )
    title = f"Memory of one pass: {layers} layers, {kept}"
    return Panels(title, frames, stage, alt, places=((0, 0), (WIDE + 20, 0)))


def format_progress(moment, layers):
    words = {"forward": "Forward", "again": "Again", "back": "Back", "done": "Done"}[moment.kind]
    return words if moment.kind == "done" else f"{words}, layer {moment.layer + 1} of {layers}"


def describe_moment(moment, layers, every):
    layer, held = moment.layer + 1, f"Held: {megabytes(moment.bytes)}."
    first, last = moment.graph.start + 1, moment.graph.start + every
    if moment.kind == "done":
        return "Each parameter has its gradient, and all else has been freed. Which segment length has the lowest peak?"
    if moment.kind == "back":
        end = " The segment is done: next, all its arrays are freed." if layer == first else ""
        return f"Back through layer {layer}: it reads the arrays it made forward, and adds its gradients. {held}{end}"
    if moment.kind == "again":
        return (
            f"The backward pass needs layers {first} to {last}, so they run again, from the input that waited. {held}"
        )
    if len(moment.inputs) == math.ceil(layers / every):
        return f"Forward through layer {layer}: what it makes is kept, because the backward pass begins here. {held}"
    if moment.layer in moment.inputs:
        return f"Forward through layer {layer}: a segment begins, so its input is kept. What it makes is freed. {held}"
    return f"Forward through layer {layer}: what it makes is freed as soon as the next layer has used it. {held}"


def compared(layers, best, shown):
    every = least(best)
    moment, size = best[every], sizes()
    inputs, each = layers / every, (size.graph + size.grads) / size.array
    again = f"With segments of {every}, {layers - every} layers run a second time"
    again += "." if shown == every else f"; with {shown}, as here, {layers - shown or 'none'}."
    return (
        f"The lowest peak is {megabytes(moment.bytes)}, with segments of {every}; keeping everything takes "
        f"{megabytes(best[layers].bytes)}. About {layers}/s inputs wait and {each:.0f}·s arrays are at work: here "
        f"{inputs:.0f} and {each * every:.0f}. {again}"
    )


def least(best):
    return min(best, key=lambda every: best[every].bytes)


def asked(layers, best):
    size = sizes()
    each = round((size.graph + size.grads) / size.array)
    wrong = []
    for every in best:
        inputs, work = layers // every, each * every
        count = (
            f"Of {layers} layers, {inputs} input{'s' * (inputs > 1)} would wait, and {work} arrays would be at work."
        )
        if every == layers:
            why = "That is one segment: everything is kept."
        elif every > least(best):
            root = " √" + f"{layers} would be right if a layer kept one array." if every == round(layers**0.5) else ""
            why = f"Few inputs wait, but a segment is large: a layer keeps {each} arrays.{root}"
        else:
            why = "Segments are small then, but each has an input that waits."
        wrong.append((every, f"{why} {count}"))
    hint = (
        f"The lengths are {', '.join(map(str, best))}. How many inputs wait, and how many arrays has a segment at work?"
    )
    return question("the segment length with the lowest peak", least(best), wrong, hint)


def megabytes(count):
    return f"{count / 1e6:.1f} MB"


def stacks(pen, layers):
    """Draw the columns, one per layer: a column's state says which of its blocks are visible."""
    step, parts = (RIGHT - LEFT) / layers, []
    for layer in range(layers):
        left, wide = LEFT + (layer + 0.1) * step, 0.8 * step
        paths = (
            f'<path class="hold-{kind}" d="{"".join(block(left, wide, place) for place in places)}"/>'
            for kind, places in BLOCKS.items()
        )
        parts.append(pen("g", f"layer {layer}", "stack", "".join(paths), state=""))
    return "".join(parts)


def block(left, wide, place):
    return f"M{left:.1f},{FLOOR - place * BLOCK:.1f}v{2 - BLOCK}h{wide:.1f}v{BLOCK - 2}Z"


def draw(pen, moment, turn, curve, most, known, columns, layers, axes, peaks):
    """Draw the stage at a moment: columns, curve, peaks and readings."""
    size = sizes()
    cells = (
        ("now", "held now", megabytes(moment.bytes), False),
        ("most", "peak so far", megabytes(most.bytes), False),
        ("inputs", "inputs waiting", str(len(moment.inputs)), True),
        ("graphs", "layers at work", str(len(moment.graph)), True),
        ("computed", "forward runs", str(moment.computed), True),
    )
    drawings = over_time(pen, moment, turn, curve, most, columns, layers, axes) + bars(pen, known, peaks, size)
    return f'<div class="bp-panels">{drawings}</div>{readings(pen, cells)}'


def over_time(pen, moment, turn, curve, most, columns, layers, axes):
    x, y = axes
    states = {f"layer {layer}": "input" for layer in moment.inputs}
    for kind, those in (("graph", moment.graph), ("grads", moment.grads)):
        for layer in those:
            states[f"layer {layer}"] = f"{states.get(f'layer {layer}', '')} {kind}".strip()
    middle = LEFT + (moment.layer + 0.5) * (RIGHT - LEFT) / layers
    here, high = x(turn + 1), y(most.bytes / 1e6)
    parts = (
        label("What each layer holds", 6, 18, "heading"),
        svg.legend(*((f"bars hold-{kind}", name, 96) for kind, name in NAMES.items())),
        f'<path class="axis" d="M{LEFT},{FLOOR + 1}H{RIGHT}"/>',
        label("1", LEFT + 4, FLOOR + 25, "tick"),
        label(str(layers), RIGHT - 6, FLOOR + 25, "tick"),
        label("layer", LEFT - 8, FLOOR + 25, "tick y"),
        columns(pen, states),
        pen("path", "layer", "ink", d="" if moment.kind == "done" else f"M{middle:.1f},{FLOOR + 5}l-5,8h10Z"),
        svg.axes(x, y, "moments", "MB held"),
        f'<path class="guide" d="M{x(layers):.1f},{CURVE[0]}V{CURVE[1]}"/>',
        label("forward", x(layers) - 6, CURVE[1] + 10, "what end"),
        label("back", x(layers) + 6, CURVE[1] + 10, "what"),
        pen("path", "peak", "line limit", d=f"M{LEFT},{high:.1f}H{RIGHT}"),
        pen("path", "curve", "line s0", d=curve),
        pen("circle", "here", "dot s1", cx=here, cy=y(moment.bytes / 1e6), r=5),
        pen("text", "peak.text", "what end halo", text=f"peak {megabytes(most.bytes)}", at={"x": RIGHT}, y=high - 5),
    )
    return labelled(svg.svg(WIDE, HEIGHT, *parts), f"What each of {layers} layers holds, and the bytes over time.")


def bars(pen, known, peaks, size):
    x = Scale(0, max(moment.bytes for moment in peaks.values()), *BAR)
    parts = [label("Peak, by layers in a segment", 6, 18, "heading")]
    parts.append(svg.legend(("bars hold-input", "inputs that wait", 104), ("bars hold-graph", "all else", 60)))
    for row, every in enumerate(peaks):
        top, highest = FIRST + row * ROW, known.get(every)
        inputs, held_then = (len(highest.inputs) * size.array, highest.bytes) if highest else (0, 0)
        peak = megabytes(held_then) if highest else "?"
        parts += (
            label(str(every), BAR[0] - 8, top + 16, "name end"),
            pen("path", f"inputs {every}", "bars hold-input", d=bar(x, 0, inputs, top)),
            pen("path", f"rest {every}", "bars hold-graph", d=bar(x, inputs, held_then, top)),
            pen("text", f"peak {every}", text=peak, at={"y": top + 16}, x=x(held_then) + 8),
        )
    return labelled(svg.svg(PEAKS, HEIGHT, *parts), "The peak for each segment length.")


def bar(x, start, end, top):
    return f"M{x(start):.1f},{top}H{x(end):.1f}v24H{x(start):.1f}Z" if end > start else "M0,0"
