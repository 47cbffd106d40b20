"""`Quiz`: questions shown one at a time, with feedback for every answer, in a page with or without a kernel."""

import html
from pathlib import Path

import traitlets

from exercises.quizzes.linked import Linked
from exercises.quizzes.quiz_data import drawing, marked_up, strip_markup
from exercises.storage import progress
from figures.page import scripts
from figures.page.picture import labelled, lean, still

HERE = Path(__file__).parent


class Quiz(Linked):
    """Questions shown one at a time, each with feedback for every answer; the first answers go into the progress file.

    questions: as in the data files. sources: for each question a sentence on where it comes from, if there is one.
    """

    script = scripts.joined("numbers", HERE / "quiz_numbers.js", HERE / "quiz.js")
    looks = (HERE / "quiz.css").read_text(encoding="utf-8")

    answers = traitlets.Dict().tag(sync=True)  # {id of an answered question: whether the first answer was right}

    def __init__(self, title, questions, sources=()):
        self.title, self.questions = title, questions
        self.sources = list(sources) or [""] * len(questions)
        self._noted = set()
        super().__init__()
        self.observe(self._note, "answers")

    def _note(self, change):
        """Record new answers in the progress file."""
        known = {question["id"] for question in self.questions}
        for name, right in change["new"].items():
            if name in known - self._noted:
                self._noted.add(name)
                progress.record_answer(name, bool(right))

    def spec(self):
        return {"title": self.title, "questions": list(map(self._question, self.questions, self.sources))}

    def _question(self, question, source):
        """Return a question as data for the browser: texts as HTML, the graph as SVG."""
        made = {"id": question["id"], "source": source, "text": marked_up(question["text"])}
        if "code" in question:
            made["code"] = question["code"]
        if "graph" in question:
            picture = drawing(question["graph"])
            made["graph"] = lean(labelled(picture.svg, picture.alt)) if picture.svg else picture.html()
        if "options" in question:
            made["options"] = [
                {**option, "text": marked_up(option["text"]), "feedback": marked_up(option["feedback"])}
                for option in question["options"]
            ]
        else:
            number = question["number"]
            wrong = [[value, marked_up(sentence)] for value, sentence in number["wrong"]]
            said = {key: marked_up(number[key]) for key in ("feedback", "otherwise")}
            made["number"] = {**number, **said, "wrong": wrong}
        return made

    def instead(self):
        parts = [f"<p><b>{html.escape(self.title)}</b></p><ol>"]
        for question in self.questions:
            parts.append(f"<li><p>{marked_up(question['text'])}</p>")
            if "code" in question:
                parts.append(f"<pre><code>{html.escape(question['code'])}</code></pre>")
            if "graph" in question:
                picture = drawing(question["graph"])
                parts.append(f"<p>{still(picture.svg, picture.alt)}</p>" if picture.svg else picture.html())
            if "options" in question:
                options = "".join(f"<li>{marked_up(option['text'])}</li>" for option in question["options"])
                parts.append(f'<ol type="a">{options}</ol>')
            parts.append(f"<details><summary>Answer</summary><p>{marked_up(answer(question))}</p></details></li>")
        return "".join([*parts, "</ol>"])

    def render_text(self):
        lines = [self.title]
        for place, question in enumerate(self.questions, start=1):
            lines.append(f"{place}. {strip_markup(question['text'])}")
            if "code" in question:
                lines += [f"   {line}" for line in question["code"].splitlines()]
            if "graph" in question:
                lines += [f"   {line}" for line in drawing(question["graph"]).text.splitlines()]
            letters = zip("abcd", question.get("options", []))
            lines += [f"   {letter}) {strip_markup(option['text'])}" for letter, option in letters]
        return "\n".join(lines)


def answer(question):
    """Return the right answer to a question, and why."""
    if "number" in question:
        return f"{question['number']['shown']}. {question['number']['feedback']}"
    place, right = next((i, option) for i, option in enumerate(question["options"]) if option.get("right"))
    return f"{'abcd'[place]}) {right['feedback']}"
