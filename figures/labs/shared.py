"""What several labs share: buttons, words for numbers and mistakes, sums over paths, cells, histograms, runs."""

from figures.page import svg
from figures.page.player import Control
from figures.training.session import Session

UNSEEN = "M0,0"  # a path that draws nothing
BUTTONS = {"play": "Play", "step": "Step", "reset": "Reset"}  # of a lab that trains


def buttons(titles):
    """The controls of buttons, {name: title}."""
    return [Control("button", name, title) for name, title in titles.items()]


# Words


def bracketed(text):
    """A number in a sum or a product: in brackets where it has a sign."""
    return f"({text})" if text.startswith("-") else text


def mistaken(*known):
    """What a question has for the numbers of known mistakes, (number, what is done there), each in a sentence."""
    return [(float(number), f"One mistake gives this: {done}.") for number, done in known]


# Graphs


def count_paths(nodes):
    """For each node the number of paths to the root, added up edge by edge: nothing is enumerated."""
    return passed_back(nodes, 1, lambda node: [1] * len(node.inputs))


def gradients_of(nodes):
    """The derivatives of the root along every node: what one backward pass finds."""
    return passed_back(nodes, 1.0, lambda node: node.locals or ())


def passed_back(nodes, start, factors):
    """What each node gets from the root on, which has `start`: along each edge what there is times a factor."""
    found = [0 * start] * (len(nodes) - 1) + [start]
    for i in reversed(range(len(nodes))):
        for input, factor in zip(nodes[i].inputs, factors(nodes[i])):
            found[input] += factor * found[i]
    return found


# Drawings


def rungs(ticks, left, right):
    """The lines of a chart's grid and their texts beside them: (y, text) for each, no text where it is ""."""
    parts = []
    for y, text in ticks:
        parts.append(f'<path class="grid" d="M{left},{y:.1f}H{right}"/>')
        parts.append(svg.label(text, left - 6, y + 4, "tick y") if text != "" else "")
    return "".join(parts)


def step_outline(counts, tallest, high, wide):
    """What a histogram's outline adds at each of its bins: up or down to the count, and along the bin."""
    return "".join(f"v{-high * (now - last) / tallest:.1f}h{wide:.1f}" for last, now in zip([0, *counts], counts))


def array_cell(pen, key, kind, left, top, size, parts, state):
    """A number of an array as a box: the room of this size (width, height) without a gap, and these parts in it."""
    box = f'<rect x="{left}" y="{top}" width="{size[0] - 4}" height="{size[1] - 4}" rx="6"/>'
    return pen("g", key, kind, "".join([box, *parts]), state=state)


# Runs


class Trained(Session):
    """A Session of a network or several, with the buttons Play, Step and Reset.

    A lab has `inputs`, and `going`, what is said of a run to a goal. It writes, beside what a Session asks for:
    `begin(values)`, which makes other networks; `take(values)`, what inputs change at once; `next_goal()`; `look()`,
    which makes ready what is shown; `marks()`; `at()`, the counter; and `standing(begin)`, a sentence.
    """

    goal = 0  # where a run of Play ends
    fault = ""  # why it can go no further

    def answer(self, values, presses):
        """A change of the controls, and presses of the buttons."""
        presses, given = self.paused_by(presses), self.inputs.checked(values)
        values = self.usual(given)
        moved = {name: value for name, value in values.items() if value != given[name]}
        if "reset" in presses or self.other(values):
            self.runner.stop()
            self.playing = False
            self.begin(values)
            self.values = dict(values)
            self.restage(values, moved)
        self.take(values)
        self.values = dict(values)
        for press in presses if not self.fault else ():
            if press == "step":
                self.pause()
                self.step()
                self.look()
                self.said = self.stepped()
            elif press == "play":
                self.play()
        self.draw(moved)

    def usual(self, values):
        """The values, with those of others that come along with a change."""
        return values

    def other(self, values):
        """Whether these values make other networks."""
        return any(values[name] != self.values[name] for name in values.keys() - {"lr", "speed"})

    def stepped(self):
        """A sentence about a step."""
        return self.standing("After")

    def look(self):
        """Make ready what is shown."""

    def play(self):
        """Run on, to the next goal."""
        self.goal = max(self.goal, self.next_goal())
        self.playing = True
        self.said = self.going.format(self.goal)
        self.runner.start()

    def pause(self):
        """Stop, if it runs."""
        if self.runner.running:
            self.runner.stop()
            self.look()
            self.said = self.standing("Paused after")
        self.playing = False

    def draw(self, moved=()):
        """Show the networks as they are. moved: {name: value} of the controls that it was not the learner who set."""
        if self.ended():
            self.said = self.standing("After")
        controls = {name: {"value": value} for name, value in dict(moved).items()}
        controls["play"] = {"label": "Pause" if self.playing else "Play", "disabled": bool(self.fault)}
        controls["step"] = {"disabled": bool(self.fault)}
        self.show(self.marks(), self.said, self.at(), controls, self.fault)


def with_rate(values, before, rates):
    """The values, with the usual learning rate of another optimizer if that of the one before was at its own."""
    same = values["lr"] == before["lr"] == rates[before["optimizer"]]
    return {**values, "lr": rates[values["optimizer"]]} if same else values
