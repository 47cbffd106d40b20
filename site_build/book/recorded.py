"""Labs that need a kernel, as recorded runs: the kernel that builds the book shows these instead.

A recorded run is a list of frames like any lab's, but each frame also names its stage and the values of the inputs.
Nothing in it is made up: a tour drives the lab, and the run keeps the lab's own pictures and sentences. The goal lab
needs no run: a script in its page answers it.
"""

import contextlib
import random
from dataclasses import replace

from figures.labs import goal
from figures.labs.together import WithTrainer
from figures.page.player import SCRIPT, Player, deltas, embedded
from figures.page.style import page_sheet
from site_build.book.tours import TOURS

ALONE = "A recorded run: step through it."
UNTESTED = (
    "In a notebook this cell tests what runs the lessons: the kernel, the engine, widgets, graphs, the file with your "
    "progress. Here nothing has to be tested: labs step and quizzes answer without a kernel."
)


def install():
    """Make this kernel show the labs that have a tour as recorded runs."""
    from IPython import get_ipython

    bundles = get_ipython().display_formatter.mimebundle_formatter
    bundles.for_type(Player, as_page)
    bundles.for_type(WithTrainer, both)
    bundles.for_type_by_name("exercises.course.selftest_page", "SelfTest", untested)


def untested(test, include=None, exclude=None):
    """Return what the book shows of the self-test, whose rows would describe the machine that built the book."""
    return {"text/html": f"<p>{UNTESTED}</p>", "text/plain": UNTESTED}


def as_page(lab, include=None, exclude=None):
    """Return what the book shows of a lab."""
    if isinstance(lab, goal.Goal):
        return {"text/html": answered(lab), "text/plain": lab.render_text()}
    if not is_toured(lab):
        return lab._repr_mimebundle_()
    return {"text/html": page(run_of(lab)), "text/plain": lab.render_text()}


def both(pair, include=None, exclude=None):
    """Return what the book shows of two labs in one output: the upper one's run, then the run it began in the lower."""
    text = pair.render_text()
    return {"text/html": page(run_of(pair.lottery), run_of(pair.trainer)), "text/plain": text}


def is_toured(lab):
    """Return whether to record a lab: it has a tour, and without a kernel no way from its first frame to its last."""
    return name_of(lab) in TOURS and len(lab.recording.frames) <= 2


def name_of(lab):
    """Return the name of the module that a lab is from."""
    return (lab._record or type(lab)).__module__.rsplit(".", 1)[-1]


def page(*drawn):
    """Return drawings with their style and their script."""
    return f'<style>{page_sheet()}</style>{"".join(drawn)}<script type="module">{SCRIPT}</script>'


def answered(lab):
    """Return a goal lab in a page that answers it. Its script stays in the page: all pages would load a file."""
    return page(lab.without_kernel()) + f'<script type="module" data-stays>{goal.SCRIPT}</script>'


def run_of(lab):
    """Return the element of a lab's recorded run in a page."""
    still = lab.recording.still(lab.recording.alt, 0)
    with undisturbed():
        spec = recorded(lab)
    return embedded(spec, still)


@contextlib.contextmanager
def undisturbed():
    """Restore the state of the random numbers, so that later cells draw what they would have drawn."""
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)


def recorded(lab):
    """Return the run of a lab's tour as plain data for a page."""
    shots = [shot(lab, ""), *(shot(lab, done) for done in TOURS[name_of(lab)](lab))]
    return spec_of(shots, lab.recording.title)


def shot(lab, done):
    """Return a picture of a lab in its current state: (stage, controls, Frame)."""
    recording = lab.recording
    at = min(lab.spec.get("jump", lab.index), len(recording.frames) - 1)
    frame = recording.frames[at]
    return recording.stage, lab._spec(recording)["controls"], replace(frame, say=f"{done} {frame.say}".strip())


def spec_of(shots, title):
    """Return what a page needs of pictures that were taken one after the other.

    Each frame names its stage and its panel, which lists the inputs' states, by their places in the list of inputs.
    """
    stages, inputs, panels, frames, run = [], [], [], [], []
    for i, (stage, controls, frame) in enumerate(shots):
        run.append(replace(frame, at=f"recorded {i + 1} of {len(shots)}{frame.at and ': '}{frame.at}"))
        if i + 1 == len(shots) or shots[i + 1][0] != stage:  # the next one is on another stage
            frames += [{**each, "stage": place_in(stages, stage)} for each in deltas(run)]
            run = []
        panels.append([place_in(inputs, control) for control in controls])
    frames = [{**frame, "panel": panel} for frame, panel in zip(frames, panels)]
    return {"title": title, "frames": frames, "message": "", "index": 0, "alone": ALONE, "run": [stages, inputs]}


def place_in(known, thing):
    """Return the place of a thing in a list; add it if it is new."""
    if thing not in known:
        known.append(thing)
    return known.index(thing)
