"""`Round`: questions of the gym in a page, one at a time; a wrong answer is named by the mistake that gives it."""

import dataclasses
import html

import traitlets

from exercises.explaining.typed_numbers import reading
from exercises.practice.asked import number_of
from exercises.practice.drawing import drawn, lines
from exercises.quizzes.quiz_data import marked_up
from exercises.quizzes.quiz_widget import Quiz
from exercises.storage import progress
from figures.page.picture import labelled, lean, still

GIVES = "Known mistake: "
OTHERWISE = "No known mistake leads to this. Go back from the root, edge by edge: local × upstream, and add what meets."


class Round(Quiz):
    """Questions of the gym, one at a time. answer(place, given) answers one from a cell. made: the Questions.

    given: {id: (whether it was right, the answer)} from before. Subclasses decide what happens with a first answer and
    what is shown after the last one: `trained` and `end`.
    """

    called = "exercises.gym()"  # the call that makes such a round

    typed = traitlets.Dict().tag(sync=True)  # {id: the first answer, as text}
    summary = traitlets.Unicode().tag(sync=True)  # shown after the last answer
    renewed = traitlets.Dict().tag(sync=True)  # {"place", "question"}: a new question for a waiting place

    def __init__(self, title, made, shuffled=False, given=()):
        self.made, self.shuffled = list(made), shuffled
        self.asked = {f"gym-{i}": each for i, each in enumerate(self.made)}  # {id: question} of all ever shown
        self.given, self.pictures = dict(given), {}
        super().__init__(title, [{"id": name} for name in self.asked])
        self._noted |= set(self.given)

    def _note(self, change):
        for name, right in change["new"].items():
            if name in self.asked and name not in self._noted:
                self._noted.add(name)
                given = read(self.asked[name], self.typed.get(name))
                self.given[name] = (bool(right), str(self.typed.get(name)))
                self.trained(name, bool(right), given)
        if len(self.given) == len(self.made) and not self.summary:
            self.summary = self.end()

    def trained(self, name, right, given):
        """Handle a first answer: the question's id, whether it was right, and the answer (None if it is unknown)."""

    def end(self):
        """Return the sentence to show after the last first answer."""
        return ""

    def renew(self, place, made):
        """Ask another question at a place, counted from 0, that has no answer yet."""
        name = f"gym-{place}-{len(self.asked)}"
        self.made[place], self.asked[name], self.questions[place] = made, made, {"id": name}
        self.renewed = {"place": place, "question": self._question(self.questions[place], "")}

    def waiting(self):
        """Return the places, counted from 0, of questions without an answer."""
        return sorted(set(range(len(self.made))) - set(map(place_of, self.given)))

    def recalled(self, name):
        """Return what to show for a question, by its id, that was answered before: that answer, and the right one."""
        (right, text), answer = self.given[name], self.asked[name].answer_told
        return f"You answered {text}: right." if right else f"You answered {text}. Right is {answer}."

    def picture(self, name):
        """Return the graph of a question, by its id, as a Picture; None if it has none."""
        if name not in self.pictures:
            self.pictures[name] = drawn(self.asked[name])
        return self.pictures[name]

    def answer(self, place, given):
        """Answer the question at a place, counted from 1; return a sentence. The first answer is recorded."""
        if isinstance(place, bool) or not isinstance(place, int) or not 1 <= place <= len(self.made):
            raise ValueError(f"place is a whole number from 1 to {len(self.made)}, got {place!r:.80}.")
        made, name, before = self.made[place - 1], self.questions[place - 1]["id"], list(self.made)
        check(made, given)
        right = made.right(given)
        if place - 1 in self.waiting():
            self.typed = {**self.typed, name: str(given)}
            self.answers = {**self.answers, name: right}
        named = " Or: ".join(capital(mistake).render_text() for mistake in made.mistakes_of(given))
        said = ["Right." if right else f"{GIVES}{named}" if named else OTHERWISE, self.summary]
        for i, (old, new) in enumerate(zip(before, self.made), start=1):
            if old is not new:
                said.append(f"\nQuestion {i} is a new one now:\n{new.render_text()}")
        return progress.Note(" ".join(filter(None, said)))

    def spec(self):
        """Return the data for the page; a sentence shared by several questions is stored once."""
        spec, places = super().spec(), {}
        for question in spec["questions"]:
            if known := question.get("number"):
                known["wrong"] = [[numbers, places.setdefault(said, len(places))] for numbers, said in known["wrong"]]
                known["otherwise"] = places.setdefault(OTHERWISE, len(places))
        given = {name: (*self.given[name], self.recalled(name)) for name in self.given}
        more = {"round": True, "shuffled": self.shuffled, "given": given, "sentences": list(places)}
        return spec | more

    def _question(self, question, source):
        made = self.asked[question["id"]]
        picture = self.picture(question["id"])
        data = {"id": question["id"], "source": f"Level {made.level}", "text": marked_up(made.says)}
        data |= {"trains": made.patterns, "code": made.code if picture is None else lines(made)}
        if picture is not None:
            data["graph"] = lean(labelled(picture.svg, picture.alt)) if picture.svg else picture.html()
        return data | ({"options": list(options(made))} if made.options else {"number": number_asked(made)})

    def instead(self):
        """Return the questions to read without a kernel: the first as a drawing, the others as code."""
        parts = [f"<p><b>{html.escape(self.title)}</b></p><ol>"]
        for place, made in enumerate(self.made):
            picture = self.picture(self.questions[place]["id"]) if place == 0 else None
            code = f"<pre><code>{html.escape(made.code)}</code></pre>"
            listed = "".join(f"<li><code>{html.escape(option)}</code></li>" for option in made.options)
            graph = f"<p>{still(picture.svg, picture.alt)}</p>" if picture and picture.svg else ""
            answer = f"<details><summary>Answer</summary><p>{html.escape(made.answer_told)}</p></details>"
            parts.append(f"<li><p>{marked_up(made.says)}</p>{graph}{code}<ul>{listed}</ul>{answer}</li>")
        return "".join([*parts, "</ol>"])

    def render_text(self):
        options = self.made[0].options
        example = repr(options[0]) if options else "your number"
        how = f"To answer from a cell: store it, round = {self.called}, then round.answer(1, {example})."
        lines = [self.title, how]
        for i, (made, question) in enumerate(zip(self.made, self.questions), start=1):
            lines += [
                f"{i}. {made.render_text()}",
                *([self.recalled(question["id"])] if question["id"] in self.given else ()),
            ]
        return "\n".join(lines)


def place_of(name):
    return int(name.split("-")[1])


def check(made, given):
    """Raise ValueError or TypeError if an answer cannot be judged."""
    if made.options:
        if given not in made.options:
            raise ValueError(f"The answer is one of {', '.join(map(repr, made.options))}; got {given!r:.80}.")
    elif isinstance(given, str):
        reading(given)
    elif isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError(f"The answer is a number, or a string such as '0.42*3'; got {type(given).__name__}.")


def read(made, text):
    """Return an answer from its text; None if it does not answer this question."""
    if made.options:
        return text if text in made.options else None
    return text if isinstance(text, str) and number_of(text) is not None else None


def capital(mistake):
    """Return the same Mistake, its name with a capital at the beginning."""
    return dataclasses.replace(mistake, name=mistake.name[0].upper() + mistake.name[1:])


def trains(made):
    """Return the sentence after a right answer: what the question trains."""
    return f"It trains: {', '.join(made.patterns)}." if made.patterns else ""


def number_asked(made):
    return {
        "answer": made.answer,
        "shown": made.answer_told,
        "feedback": trains(made),
        "wrong": [[numbers, capital(mistake).html()] for mistake, numbers in made.wrong.items()],
        "gives": GIVES,
        "otherwise": OTHERWISE,
    }


def options(made):
    for option in made.options:
        right = option == made.answer
        named = " Or: ".join(capital(each).html() for each in made.mistakes_of(option))
        feedback = trains(made) if right else f"{GIVES}{named}"
        yield {"text": marked_up(f"`{option}`"), "given": option, "right": right, "feedback": feedback}
