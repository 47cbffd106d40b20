"""The questions of a lesson as data: read from its file, made into text and pictures, and checked for faults."""

import html
import json
import re
from pathlib import Path

import figures
from autograd import Value
from exercises.content.lessons import BY_NUMBER, LESSONS
from figures.page import expression_parser as parser

QUIZZES = Path(__file__).parent / "lessons"

PARTS = ("quiz", "pool")  # asked at the end of the notebook and by recall; asked by recall alone
WORDS = 8  # the fewest of a feedback

ASKS = (  # the questions in this course's sources: for each there must be a question here
    "why-plus-equals",
    "why-topological-order",
    "how-accumulation-works",
    "deep-networks",
    "chain-rule",
    "reverse-beats-forward",
    "used-three-times",
    "one-neuron-xor",
    "backward-beats-nudging",
    "sigmoid-vanishing",
)


def load(lesson):
    """Return the questions of a lesson as data; None if there is no file of them."""
    place = QUIZZES / f"{lesson}.json"
    return json.loads(place.read_text(encoding="utf-8")) if place.exists() else None


def marked_up(text):
    """Convert `code` and *emphasis* in a text to HTML, and escape the rest."""
    parts = re.split(r"`([^`]*)`", text)  # every second part is code
    for i, part in enumerate(parts):
        part = html.escape(part)
        parts[i] = f"<code>{part}</code>" if i % 2 else re.sub(r"\*(\S(?:[^*]*\S)?)\*", r"<em>\1</em>", part)
    return "".join(parts)


def strip_markup(text):
    return re.sub(r"\*(\S(?:[^*]*\S)?)\*", r"\1", text) if "`" not in text else text.replace("`", "")


def graph_of(graph):
    """Return the nodes of a question's graph by name, and its root.

    graph: {"text": "q = x + y; f = q * z", "values": {"x": 2, …}}. Each part is an expression for the expression lab's
    parser, of leaves and of the names before it; the last is the root. With "gradients" the backward pass is run.
    """
    nodes = {name: Value(value, label=name) for name, value in graph["values"].items()}
    for part in graph["text"].split(";"):
        name, equals, right = part.rpartition("=")
        term = parser.parse(right.strip())
        root = parser.build(term, nodes)
        if equals:
            root.label = name.strip()
            nodes[root.label] = root
    if graph.get("gradients"):
        root.backward()
    return nodes, root


def drawing(graph):
    return figures.draw_graph(
        graph_of(graph)[1], gradients=bool(graph.get("gradients")), local=bool(graph.get("local"))
    )


def faults(data):
    """Return what is wrong with a lesson's questions, as a list of sentences; empty if nothing is."""
    if not isinstance(data, dict) or not isinstance(data.get("questions"), list):
        return ['A quiz file is an object with "lesson", "title" and a list of "questions".']
    lesson, questions, found = data.get("lesson"), data["questions"], []
    if lesson not in BY_NUMBER:
        found.append(f'"lesson" is a lesson or a workshop, such as "03"; here {lesson!r}.')
    if not is_text(data.get("title")):
        found.append('"title" is missing: the lesson\'s title.')
    if strange := set(data) - {"lesson", "title", "questions"}:
        found.append(f"The file has fields that mean nothing: {', '.join(sorted(strange))}.")
    if not all(isinstance(question, dict) for question in questions):
        return [*found, "Each question is an object."]
    for question in questions:
        name = question.get("id")
        own = faults_of_question(question)
        if not is_text(name) or not re.fullmatch(r"\d\d-[a-z0-9]+(-[a-z0-9]+)*", name):
            own.append("its id is two digits and words in lower case, such as 03-swap.")
        found += [f"Question {name!r}: {fault}" for fault in own]
    ids = [question.get("id") for question in questions]
    found += [f"Two questions have the id {name!r}." for name in sorted({str(i) for i in ids if ids.count(i) > 1})]
    return found if found else faults_of_lesson(lesson, questions)


def faults_of_lesson(lesson, questions):
    found, count = [], sum(question["part"] == "quiz" for question in questions)
    few, most = (1, 3) if BY_NUMBER[lesson].after else (0, 0) if lesson == LESSONS[0].number else (3, 4)
    if not few <= count <= most:
        found.append(f'{few} to {most} questions of {lesson} are of the part "quiz"; here {count}.')
    choices = [question["options"] for question in questions if "options" in question]
    places = [next(i for i, option in enumerate(options) if option.get("right")) for options in choices]
    if len(places) > 2 and max(map(places.count, places)) > 0.6 * len(places):
        found.append("The right option stands in the same place in most questions: move some.")
    longest = [max(options, key=lambda option: len(option["text"])).get("right") for options in choices]
    if len(longest) > 2 and all(longest):
        found.append("The right option is the longest in every question, so that it can be told by its length.")
    return found


def faults_of_question(question):
    found, text = [], question.get("text")
    known = {"id", "part", "text", "code", "graph", "options", "number", "misconception", "asks"}
    if strange := set(question) - known:
        found.append(f"it has fields that mean nothing: {', '.join(sorted(strange))}.")
    if question.get("part") not in PARTS:
        found.append(f"its part is one of {', '.join(PARTS)}.")
    if not is_text(text):
        found.append("it has no text.")
    elif said := re.search(r"\bthe \w+ above\b|\bsee above\b|\bthis lesson\b|\bthis section\b|\bthe lab\b", text):
        found.append(f'its text says "{said[0]}", but it is asked in other lessons too, where that is not in sight.')
    if not is_text(question.get("code", "x")):
        found.append("its code is a text.")
    if not re.fullmatch(r"M([1-9]|1\d|20)|TM([1-9]|1[0-2])", str(question.get("misconception", "M1"))):
        found.append("its misconception is one of M1 to M20, or of TM1 to TM12.")
    if question.get("asks", ASKS[0]) not in ASKS:
        found.append(f"what it asks is one of {', '.join(ASKS)}.")
    if ("options" in question) == ("number" in question):
        found.append("it has either options or a number.")
    elif "options" in question:
        found += faults_of_options(question["options"])
    else:
        found += faults_of_number(question["number"])
    if "graph" in question:
        found += faults_of_graph(question["graph"], question.get("number"))
    if found:
        return found
    return [f"a ` in {text!r} is not closed." for text in texts_of(question) if text.count("`") % 2]


def faults_of_options(options):
    if not isinstance(options, list) or not all(isinstance(option, dict) for option in options):
        return ["its options are a list of objects."]
    found = []
    if not 3 <= len(options) <= 4:
        found.append(f"it has 3 or 4 options, not {len(options)}.")
    for place, option in zip("abcdefgh", options):
        if set(option) - {"text", "feedback", "right"}:
            found.append(f'option {place} has only "text", "feedback" and "right".')
        if not is_text(option.get("text")):
            found.append(f"option {place} has no text.")
        found += too_short(f"the feedback of option {place}", option.get("feedback"))
        if not isinstance(option.get("right", False), bool):
            found.append(f'"right" of option {place} is true or false.')
    if sum(option.get("right") is True for option in options) != 1:
        found.append("exactly one option is right.")
    texts = [option.get("text") for option in options]
    if any(texts.count(text) > 1 for text in texts):
        found.append("two options say the same.")
    return found


def faults_of_number(number):
    if not isinstance(number, dict) or not is_number(number.get("answer")):
        return ['its number is an object with "answer", "shown", "feedback", "wrong" and "otherwise".']
    found, shown, wrong = [], number.get("shown"), number.get("wrong")
    if strange := set(number) - {"answer", "shown", "feedback", "wrong", "otherwise", "of"}:
        found.append(f"its number has fields that mean nothing: {', '.join(sorted(strange))}.")
    if not isinstance(shown, str) or not re.fullmatch(r"-?\d+(\.\d+)?", shown):
        found.append('"shown" is the answer as it is printed, such as "-4" or "0.2403".')
    elif abs(float(shown) - number["answer"]) > 0.5 * 10.0 ** -len(shown.partition(".")[2]) + 1e-12:
        found.append(f'"shown" is {shown}, but the answer is {number["answer"]}.')
    for what in ("feedback", "otherwise"):
        found += too_short(f'"{what}"', number.get(what))
    if not isinstance(wrong, list) or not wrong or not all(isinstance(pair, list) and len(pair) == 2 for pair in wrong):
        return [*found, '"wrong" is a list of pairs: a number that a mistake gives, and the sentence that says so.']
    for value, sentence in wrong:
        if not is_number(value) or abs(value - number["answer"]) < 1e-4:
            found.append(f"{value!r} is no wrong number.")
        found += too_short(f"the sentence for {value!r}", sentence)
    return found


def faults_of_graph(graph, number):
    if not isinstance(graph, dict) or not is_text(graph.get("text")) or not isinstance(graph.get("values"), dict):
        return ['its graph is an object with "text", an expression, and "values" of its leaves.']
    if strange := set(graph) - {"text", "values", "gradients", "local"}:
        return [f"its graph has fields that mean nothing: {', '.join(sorted(strange))}."]
    try:
        nodes, root = graph_of(graph)
    except KeyError as name:
        return [f"its graph has no value for {name}."]
    except (TypeError, ValueError, ArithmeticError) as fault:
        return [f"its graph cannot be made: {fault}"]
    if not isinstance(number, dict) or "of" not in number:
        return []
    name, _, what = str(number["of"]).partition(".")
    if name not in nodes or what not in ("data", "grad"):
        return [f'"of" names a node of the graph and one of its numbers, such as "x.grad"; here {number["of"]!r}.']
    if not graph.get("gradients"):
        root.backward()
    true = getattr(nodes[name], what)
    wrong = is_number(number.get("answer")) and abs(number["answer"] - true) > 1e-9 * max(1.0, abs(true))
    return [f"{number['of']} is {true}, not {number['answer']}."] if wrong else []


def texts_of(question):
    """Yield all texts of a well-formed question that may contain marks."""
    yield question["text"]
    for option in question.get("options", []):
        yield from (option["text"], option["feedback"])
    if "number" in question:
        number = question["number"]
        yield from (number["feedback"], number["otherwise"], *(sentence for _, sentence in number["wrong"]))


def too_short(what, text):
    """Return a list with a sentence if a feedback is missing or too short."""
    if not is_text(text) or len(text.split()) < WORDS:
        return [f"{what} has fewer than {WORDS} words: say what the mistake was, or why it is right."]
    return []


def is_text(value):
    return isinstance(value, str) and bool(value.strip())


def is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)
