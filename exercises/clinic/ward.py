"""The clinic's lab, `ward`. A patient is examined with instruments, each for a minute, until its cause is named."""

import copy

from exercises.clinic import record
from exercises.clinic.instruments import INSTRUMENTS, MINUTES
from exercises.clinic.patients import LESSON, causes, is_cause, of_lesson, speaking
from exercises.clinic.pictures import HEIGHT, WIDTH, complaint
from exercises.clinic.readings import finished
from exercises.clinic.ward_page import answer, describe_reading, draw
from exercises.storage.progress import Note
from figures.graph.stage import plural
from figures.page.frame_recorder import FrameTemplate
from figures.page.inputs import Inputs, choice
from figures.page.panels import Panels
from figures.page.player import Control, Frame
from figures.training.session import Session

HEALTHY = "healthy"
PATIENTS = (*map(str, range(1, len(LESSON) + 1)), HEALTHY)
NOBODY = "–"  # no cause chosen
LONGEST = 200  # characters of a hypothesis
ACROSS = 2  # panels per row of a still picture
WIDEST_TEXT = (  # as long as any sentence
    f"Nothing you have read speaks against “{max(causes(), key=len)}”. It is chosen in the field."
)
INPUTS = Inputs(
    choice("patient", PATIENTS),
    choice("cause", (NOBODY, *causes()), says=f"cause is one of the {len(causes())} in the list"),
)


def ward(number=None):
    """Open a patient's bed: its complaint, the instruments, four minutes for them, and the list of causes.

    number: a patient of the ward, from 1 to 8, or "healthy"; None: the first after 1 that you have not diagnosed yet.

    Write what you think is wrong, press instruments, cross out in the list what a reading speaks against, and name the
    cause: a wrong one is answered by the reading that speaks against it, a right one by the code. Without buttons:
    `.suppose("…")`, `.use("kept")`, `.cross_out("…")`, `.diagnose("…")`.

    Raise ValueError or TypeError if there is no such patient.
    """
    if number is None:
        number = next((each for each in range(2, len(LESSON) + 1) if not record.diagnosed(each)), 2)
    of_lesson(number)  # raises, if there is no such patient
    return Ward({"patient": str(number), "hypothesis": "", "cause": NOBODY})


class Ward(Session):
    """The lab of `ward`. noting: whether the progress file records what is done."""

    noting = True
    instruments = tuple(INSTRUMENTS)

    def __init__(self, values):
        self.admit(values)
        super().__init__(values)

    def admit(self, values):
        """Take in another patient, or the same one again."""
        of = values["patient"]
        self.number = None if of == HEALTHY else int(of)
        self.patient = of_lesson(self.number or HEALTHY)
        self.rows = len(self.patient.program.data()[0])
        self.hypothesis, self.wrong, self.solved = "", {}, False  # wrong: {cause: (Reading, dial), or None}
        self.out = []  # the causes that the learner has crossed out
        self.rest()
        self.said = self.first_words()

    def rest(self):
        self.work, self.doing, self.pieces = None, "", 0

    def first_words(self):
        if self.number is None:
            return "Nothing is wrong here. See what each instrument reads on a healthy program: no minutes are counted."
        before = " You have named its cause before." if record.diagnosed(self.number) else ""
        return f"Write what you think is wrong. Then choose your instruments.{before}"

    # Knowledge so far

    @property
    def readings(self):
        """The Readings so far, {name of the instrument: Reading}."""
        return self.patient.readings

    @property
    def minutes(self):
        """The minutes that are left."""
        return self.budget - len(self.readings)

    @property
    def budget(self):
        """The minutes that a patient gets; on the healthy program, one for every instrument."""
        return len(INSTRUMENTS) if self.number is None else MINUTES

    @property
    def crossed(self):
        """{cause: (Reading, dial)} of the causes that are crossed out, with the first reading against each."""
        found = self.patient.ruled_out
        return {cause: found[cause] for cause in self.out}

    @property
    def left_over(self):
        """The causes that are neither crossed out nor named in vain."""
        return [cause for cause in causes() if cause not in self.out and cause not in self.wrong]

    @property
    def thought(self):
        """The hypothesis: what was written before the first instrument, or until then the field's content."""
        return self.hypothesis or " ".join(self.values.get("hypothesis", "").split())[:LONGEST]

    # Actions

    def answer(self, values, presses):
        """Respond to a change of the controls, and to presses."""
        presses = list(presses)
        if self.runner.running and "over" in presses:
            presses.remove("over")
            self.pause()
        known = INPUTS.checked(values)
        if values["patient"] != self.values["patient"] or "over" in presses:
            self.runner.stop()
            self.begin({**known, "hypothesis": "", "cause": NOBODY})
            return
        self.values = {**known, "hypothesis": str(values["hypothesis"])}
        for each in presses:
            self.press(each)

    def press(self, name):
        """Respond to one press: an instrument, a cause in the list, or "name"."""
        if name.startswith("cause."):
            self.cross(list(causes())[int(name.removeprefix("cause."))])
        elif name == "name":
            self.check_free()
            self.start(self.naming(self.values["cause"]), "")
        elif name in INSTRUMENTS:
            self.check_free()
            self.start(self.using(name), name)

    def cross(self, cause):
        """Cross out a cause if a reading speaks against it, or put it back; else choose it, to be named."""
        if cause in self.out:
            self.out.remove(cause)
            self.said = f"Not crossed out any more: {cause}."
        elif found := self.patient.ruled_out.get(cause):
            self.out.append(cause)
            self.said = f"Crossed out, by {describe_reading(*found)}: {cause}."
        else:
            self.values = {**self.values, "cause": cause}
            self.said = f"Nothing you have read speaks against “{cause}”. It is chosen in the field."
        self.renew({"cause": {"value": self.values["cause"]}})

    def check_free(self):
        if self.runner.running:
            raise ValueError("One thing at a time: this is still running. Stop ends it.")

    def start(self, work, doing):
        """Begin a piece of work: a generator, and the name of the instrument, if it is one."""
        self.work, self.doing = work, doing
        try:
            more = self.step()  # raises now if the work cannot begin
        except ValueError:
            self.rest()
            raise
        self.pieces = 0
        self.renew()
        if more:
            self.runner.start()

    def begin(self, values):
        """Start over with another patient, or with the same one."""
        self.playing = False
        self.admit(values)
        self.values = dict(values)
        self.renew({name: {"value": values[name]} for name in ("hypothesis", "cause", "patient")})

    def pause(self):
        """Stop the current work: it costs no minute."""
        self.runner.stop()
        self.rest()
        self.said = f"Stopped. {self.left()}"
        self.renew()

    def step(self):
        """Do a piece of an instrument's work, for the runner. Return whether there is more to do."""
        try:
            next(self.work or iter(()))
        except StopIteration:
            self.rest()
            return False
        self.pieces += 1
        return True

    def draw(self):
        """Show the current state; while an instrument works, its progress."""
        if self.runner.running:
            self.show(self.recording.render.updates(self), self.said, self.format_progress())
        else:
            self.renew()

    def failed(self, fault):
        """Show an exception that an instrument raised."""
        self.rest()
        self.renew(message=f"{type(fault).__name__}: {fault}")

    def using(self, name):
        """Return a generator that uses an instrument."""
        title = INSTRUMENTS[name].title
        if name in self.readings:
            raise ValueError(f"{title} has been read: it reads the same each time.")
        if not self.minutes:
            raise ValueError("No minutes are left. Name the cause: cross out what your readings speak against.")
        if self.number is not None:
            if not self.thought:
                raise ValueError("First write what you think is wrong, in your own words. You may well be mistaken.")
            self.hypothesis = self.thought
        self.said = f"{title}: at work."
        yield
        reading = yield from self.patient.reading(name)
        if self.noting and self.number is not None:
            record.taken(self.number, name)
        self.said = f"{reading.instrument.title} has been read. {self.left()}"

    def naming(self, cause):
        """Return a generator that answers a cause that the learner named."""
        if self.number is None:
            raise ValueError("This one is healthy: there is no cause to name.")
        if cause == NOBODY:
            raise ValueError("Choose a cause first: in the field beside this button, or in the list.")
        if self.solved:
            raise ValueError("You have named it already: it is next to the list, with its code.")
        key, self.hypothesis = causes()[cause], self.thought
        if is_cause(self.patient, key):
            self.solved = True
            used = plural(len(self.readings), "instrument")
            self.said = f"Right, with {used}: {cause}. Its code is next to the list."
        else:
            self.said = "Is there a reading that speaks against it?"
            yield
            other = copy.copy(self.patient)
            other.readings = dict(self.readings)  # instruments read from here on cost no minute, and are not kept
            self.wrong[cause] = yield from speaking(other, cause)
            self.said = f"Not “{cause}”: your notes say why. {len(self.left_over)} of {len(causes())} causes left."
        if self.noting:
            record.note_cause(self.number, key, self.solved)

    def suppose(self, words):
        """Write what you think is wrong, without buttons. Return what is known, as text."""
        if not isinstance(words, str):
            raise TypeError(f"suppose takes a sentence, a string; got {type(words).__name__}.")
        if not self.hypothesis:
            self.values = {**self.values, "hypothesis": words}
        return Note(self.render_text())

    def use(self, *names):
        """Use these instruments, by their names, without buttons. Return what is then known, as text."""
        for name in names:
            if name not in self.instruments:
                raise ValueError(f"the instruments are {', '.join(self.instruments)}; got {name!r}.")
            self.check_free()
            finished(self.using(name))
            self.renew()
        return Note(self.render_text())

    def cross_out(self, *names):
        """Cross out causes that a reading speaks against, without buttons. Return what is then known, as text."""
        for name in names:
            self.cross(INPUTS.checked({**self.values, "cause": name})["cause"])
        return Note(f"{self.said}\n{self.render_text()}" if names else self.render_text())

    def diagnose(self, cause):
        """Name a cause, as the list has it, without buttons. Return the outcome, as text."""
        self.check_free()
        finished(self.naming(INPUTS.checked({**self.values, "cause": cause})["cause"]))
        self.renew()
        return Note(self.render_text())

    # Rendering

    def renew(self, controls=None, message=""):
        """Draw the stage again, with all that has been found."""
        self.set_up_again(self.values)
        self.update(controls or {}, message)

    def update(self, controls, message=""):
        """Show the current frame. controls: their changes."""
        over = {"label": "Stop" if self.work else "Start over"}
        frame = self.recording.frames[-1]
        self.show(frame.updates, self.said, self.format_progress(), {"over": over, **controls}, message)

    def say(self, sentence, **more):
        self.update({}, sentence)

    def set_up(self, values):
        """Return the Recording of what is known now, and the controls."""
        stage, name = FrameTemplate(draw), self.patient.name
        slots = max(1, len(self.readings) + bool(self.doing))
        places = [((WIDTH + 20) * (i % ACROSS), (HEIGHT + 20) * (i // ACROSS)) for i in range(slots)]
        recording = Panels(
            name if self.number is None else f"{name} of {len(LESSON)}",
            [Frame(self.said, self.format_progress(), stage.updates(self))],
            stage,
            f"{name}: {complaint(self.patient)} Its readings, and a list of causes.",
            room=WIDEST_TEXT,
            places=tuple(places),
        )
        return recording, self.buttons(values)

    def buttons(self, values):
        closed = self.number is None or self.solved
        spent = self.minutes < 1
        asks, thought = "What do you think is wrong?", values["hypothesis"]
        told = Control("text", "hypothesis", asks, thought, disabled=closed or bool(self.hypothesis))
        patients, named = INPUTS.controls(**{each.name: values[each.name] for each in INPUTS})
        return [
            patients,
            told,
            *(
                Control("button", each.name, each.title, disabled=spent or each.name in self.readings)
                for each in INSTRUMENTS.values()
            ),
            named,
            Control("button", "name", "Name it", disabled=closed),
            Control("button", "over", "Start over"),
        ]

    def format_progress(self):
        if self.number is None:
            return f"{len(self.readings)} of {len(INSTRUMENTS)} instruments"
        return f"{self.minutes} of {plural(self.budget, 'minute')} left"

    def left(self):
        if self.number is None:
            return "This is how it reads when nothing is wrong."
        return f"{len(self.left_over)} of {len(causes())} causes left, {plural(self.minutes, 'minute')} left."

    def render_text(self):
        """Return what the lab shows, in sentences."""
        crossed = self.crossed
        lines = [f"{self.patient.name}. {complaint(self.patient)}", *map(repr, self.readings.values())]
        if self.number is None:
            return "\n".join(lines)
        if self.thought:
            lines.append(f"You think: {self.thought}")
        lines += [f"You named: {cause}. {answer(cause, found)}" for cause, found in self.wrong.items()]
        if self.solved:
            fault = self.patient.fault
            return "\n".join([*lines, f"Right: {fault.cause}. {fault.says}", fault.code])
        reasons = {describe_reading(*found): [] for found in crossed.values()}
        for cause, found in crossed.items():
            reasons[describe_reading(*found)].append(cause)
        lines += [f"{why}, and so not: {'; '.join(these)}." for why, these in reasons.items()]
        return "\n".join([*lines, f"Left: {'; '.join(self.left_over)}.", f"{self.format_progress().capitalize()}."])
