"""The tours that recorded runs of labs take: move inputs, press buttons, train for epochs.

A tour is a generator that drives a lab as the page does, by `answer(values, presses)`. For each picture to keep it
yields what it did, as a sentence or "". The first picture, the lab as its cell made it, is kept without a tour.
"""

from figures.page.runner import Runner


class ByHand(Runner):
    """A Runner that works on request, and not on an event loop."""

    running = False

    def start(self):
        self.running = True

    def stop(self):
        self.running = False

    def work(self, pieces):
        """Do so many pieces of work, or fewer if there is no more; then draw the result."""
        for _ in range(pieces):
            if not self.running or not self.step():
                self.running = False
                break
        self.show()

    @classmethod
    def replace_runner(cls, lab):
        """Replace a live lab's runner by one of these."""
        lab.runner = cls(lab.runner.step, lab.runner.show, lab.runner.failed)
        return lab.runner


def change(lab, **values):
    """Move inputs."""
    lab.answer({**lab.values, **values}, [])


def press(lab, *names):
    """Press buttons, or parts of the stage."""
    lab.answer(dict(lab.values), list(names))


def each(lab, name, options, title=None):
    """Set an input to each of some values, then back again. title: what sentences call it."""
    before = lab.values[name]
    for value in options:
        if value != before:
            change(lab, **{name: value})
            yield f"{title or name}: {value}."
    change(lab, **{name: before})


def played(lab, stops, pieces=1):
    """Press Play, and take pictures after these counts of epochs. pieces: how much work makes an epoch."""
    hand, done = ByHand.replace_runner(lab), 0
    press(lab, "play")
    for stop in stops:
        lab.drawn = 0.0  # a lab that draws only now and then draws now
        hand.work(pieces * (stop - done))
        yield "" if done else "Pressed Play."
        done = stop
        if not hand.running:
            return


def neuron(lab):
    """Move each number up and down, and b to 10; then choose relu, and move b to where it shuts."""
    for name in [control.name for control in lab.controls if control.kind == "range"]:
        at = lab.values[name]
        yield from each(lab, name, (at - 1, at + 1))
    yield from each(lab, "b", (10.0,))
    yield from each(lab, "activation", ("linear", "sigmoid"))
    change(lab, activation="relu")
    yield "activation: relu."
    yield from each(lab, "b", (6.5, 6.0, 5.5))


def expression(lab):
    """Show the backward pass, then other expressions."""
    change(lab, gradients=True)
    yield "Gradients on."
    for text in ("(x + y) * (x + y)", "(x + y)**2", "2*3*x", "x*2*3", "x*x*x*x", "x**4", "tanh(w*x + b)"):
        change(lab, expression=text)
        yield f"Typed: {text}."


def shape(lab):
    """Show the counts, open a neuron, and change sizes."""
    change(lab, counts=True)
    yield "The counts are on."
    for neuron in ("1.1", "2.3"):
        if lab.network.has(*map(int, neuron.split("."))):
            press(lab, f"neuron {neuron}")
            yield f"Pressed neuron {neuron}."
            press(lab, f"neuron {neuron}")
    change(lab, hidden2=0)
    yield "hidden 2: 0."
    yield from each(lab, "hidden1", (8, 9), "hidden 1")


def microscope(lab):
    """Ask what suits the network at hand: scales of its residual layers, its gain, or other starts."""
    values = lab.values
    if values["preset"] == "twelve sigmoids":
        yield from each(lab, "preset", ("100 two-layer nets", "sigmoid, xavier"), "network")
    elif values["residual"]:
        yield from each(lab, "residual_scale", ("1/√L", "1/L"), "residual scale")
    elif values["activation"] == "sigmoid":
        yield from each(lab, "gain", (6.7,))
        change(lab, gain=7.9, depth=20)
        yield "gain: 7.9, depth: 20."
    elif values["activation"] == "relu":
        yield from each(lab, "gain", (0.15,))
        change(lab, gain=0.49, depth=30)
        yield "gain: 0.49, depth: 30."
    else:
        yield from each(lab, "init", ("normal", "xavier", "he"), "initialisation")
        yield from each(lab, "activation", ("sigmoid", "relu"))


def xor(lab):
    """Take a step, then run to the end; then do the same without zeroing."""
    press(lab, "step")
    yield "Pressed Step."
    goal = int(lab.values["epochs"])
    yield from played(lab, [round(goal * share / 100) for share in (3, 9, 22, 40, 100)])
    press(lab, "reset")
    change(lab, zero_grad=False)
    yield "Pressed Reset, zero_grad() off."
    yield from played(lab, [round(goal * share / 100) for share in (15, 100)])


def lottery(lab):
    """Run a race to its end, look at a network that is stuck, and race wider networks."""
    goal = lab.race.goal
    yield from played(lab, [goal * share // 100 for share in (4, 20, 100)])
    stuck = next((i for i, outcome in enumerate(lab.race.outcomes) if outcome.kind == "stuck"), 0)
    press(lab, f"seed.{stuck}")
    yield f"Pressed tile {stuck}."
    change(lab, hidden1=4)
    yield "hidden 1: 4."
    yield from played(lab, [goal])


def border(lab):
    """Run to the end."""
    return played(lab, [lab.goal * share // 100 for share in (2, 10, 20, 50, 100)])


def deep_training(lab):
    """Run to the end."""
    stops = [lab.goal * share // 100 for share in (1, 4, 12, 100)]
    return played(lab, stops, pieces=len(lab.nets))


def classifier(lab):
    """Run to the end; then run a shorter one with shuffled labels."""
    yield from played(lab, (1, 3, 10, lab.goal), pieces=lab.net.a_whole_epoch)
    change(lab, shuffled=True)
    yield "labels shuffled."
    yield from played(lab, (2, lab.goal), pieces=lab.net.a_whole_epoch)


def order(lab):
    """Press nodes in an order that reads one too early; then in a right one."""
    from figures.labs.order_rules import pre_order, reverse_topological  # only if the lab is used

    for turns in (pre_order(lab.nodes), reverse_topological(lab.nodes)):
        for node in turns:
            press(lab, f"n{node}")
            yield f"Pressed {lab.names[node]}."
        if turns != reverse_topological(lab.nodes):
            press(lab, "clear")
            yield "Pressed Clear."


def dragged(lab):
    """Move each leaf, up and down."""
    for name, number in lab.numbers.items():
        for moved in (number + 1, number - 1):
            lab.answer({**lab.numbers, name: moved}, [])
            yield ""
        press(lab, "reset")


def ward(lab):
    """Try a hypothesis, a wrong cause, an instrument, the right cause; on a healthy program try all. Note none."""
    lab.noting, fault = False, lab.patient.fault
    hand, controls = ByHand.replace_runner(lab), {control.name: control for control in lab.controls}

    def pressed(name, **values):
        change(lab, **values)
        press(lab, name)
        hand.work(MOST)

    if fault is None:
        for name in lab.instruments:
            pressed(name)
            yield f"Pressed {controls[name].label}."
        return
    change(lab, hypothesis="The learning rate is too large.")
    yield "Written: what could be wrong."
    wrong = [cause for cause in controls["cause"].options[1:] if cause not in (*lab.patient.ruled_out, fault.cause)]
    for cause in wrong[:1]:
        pressed("name", cause=cause)
        yield f"Chosen: {cause}. Pressed Name it."
    for name in fault.shows[:1]:
        pressed(name)
        yield f"Pressed {controls[name].label}."
    pressed("name", cause=fault.cause)
    yield f"Chosen: {fault.cause}. Pressed Name it."


MOST = 10**6  # pieces of work: more than there are


TOURS = {  # by the module of the lab
    tour.__name__: tour
    for tour in (
        *(neuron, expression, shape, microscope, xor, lottery),
        *(border, deep_training, classifier, order, dragged, ward),
    )
}
