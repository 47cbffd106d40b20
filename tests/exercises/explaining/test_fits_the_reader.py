"""The message on an answer fits its reader: its terms and sections come before the place where it appears."""

import ast
import contextlib
import json
import re
from pathlib import Path

import pytest

import exercises
import figures
from autograd import backward_steps
from exercises.authors import sections
from exercises.content import lessons, library
from exercises.content.lessons import BY_NUMBER
from exercises.course import glossary
from exercises.engine_file import check
from exercises.engines.wrong_engines import HELD_OUT, HUNT, WRONG_ENGINES
from exercises.engines.wrong_tensors import WRONG_TENSORS
from exercises.explaining.catalogue import known_mistakes
from exercises.explaining.simulation import TABLES
from exercises.practice.questions import LEVELS, question
from exercises.quizzes import quiz_data
from figures.graph.reader import known_slopes
from figures.passes.scalar_passes import rebuilt

PLACES = {term: place for place, listed in glossary.concepts().items() for term in listed["terms"]}
TERM = re.compile(rf"(?<![\w`.])({'|'.join(sorted(map(re.escape, PLACES), key=len, reverse=True))})(?:s|es)?(?!\w)")
TOLD = re.compile(r"See lesson (\d\d), “(.+?)”")
ASKED = [  # (notebook, place) of each cell that takes a typed gradient
    (name, i)
    for name in lessons.BY_NUMBER
    for i, cell in enumerate(sections.cells(name))
    if "check.predict(" in cell["source"] or "explain=exercises.explain" in cell["source"]
]


def too_early(text, name, cell):
    """Return the terms in a text that a reader at a cell of a notebook has not met."""
    found = dict.fromkeys(TERM.findall(text))
    return [term for term in found if not sections.is_met(PLACES[term], name, cell)]


def sentences(path):
    """Return the texts of a file of Python that are neither docstrings nor code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in bare]
    return [
        each.value for each in found if isinstance(each.value, str) and " " in each.value and "\n" not in each.value
    ]


@pytest.mark.parametrize("term", PLACES)
def test_terms_occur_in_the_section_that_introduces_them(term):
    lesson, heading = PLACES[term]
    assert sections.has(sections.sections()[lesson, heading.replace("-", " ")], [term])


@pytest.mark.parametrize("name", check.LESSON_OF)
def test_check_messages_use_only_terms_introduced_before(name):
    said = [*library.solution(name).hints, *sentences(library.place(name, "check.py"))]
    said += [f"{each.mistake.name}. {each.mistake.sentence}" for each in known_mistakes(name)]
    place = check.LESSON_OF[name], sections.cell_of(name)
    assert [(text, early) for text in said if (early := too_early(text, *place))] == []


@pytest.mark.parametrize("lesson", [each for each in lessons.BY_NUMBER if quiz_data.load(each)])
def test_quiz_uses_only_terms_of_its_lesson(lesson):
    for each in quiz_data.load(lesson)["questions"]:
        text = json.dumps({key: said for key, said in each.items() if key != "id"}, ensure_ascii=False)
        assert too_early(text, lesson, len(sections.cells(lesson))) == [], each["id"]


@pytest.mark.parametrize("name, cell", ASKED, ids=str)
def test_gradient_feedback_fits_the_notebook_it_appears_in(name, cell, monkeypatch):
    """Every wrong number that has a name, for every node of the graph in that cell."""
    monkeypatch.setattr(lessons, "here", lambda: name)
    roots, names = [], {}
    monkeypatch.setattr(check, "predict", lambda root, **typed: roots.append(root), raising=False)
    monkeypatch.setattr(figures, "step_backward", lambda root, **options: roots.append(root), raising=False)
    for each in sections.cells(name)[: cell + 1]:
        if each["cell_type"] == "code" and "exercise" not in each["metadata"].get("tags", []):
            with contextlib.suppress(Exception):
                exec(each["source"], names)
    root = rebuilt(known_slopes(roots[-1]))  # as a lab reads the graph of any engine
    steps = [step for step in backward_steps(root) if step.kind == "chain"]
    said = [text for step in steps for _, text in exercises.explain(root, step)]
    assert said
    for text in said:
        assert too_early(text, name, cell) == []
        assert [place for place in TOLD.findall(text) if not sections.is_met(place, name, cell)] == [], text


@pytest.mark.parametrize("lab", ["policy", "stale", "memory", "embedding", "attention"])
def test_lab_prediction_feedback_uses_only_introduced_terms(lab):
    call = f"figures.{lab}("
    name, cell = next(
        (lesson, i)
        for lesson in lessons.BY_NUMBER
        for i, each in enumerate(sections.cells(lesson))
        if call in each["source"] and "predict=True" in each["source"]
    )
    folder = Path(figures.__file__).parent / "labs"
    said = [text for text in sentences(folder / f"{lab}.py") if text.startswith(("That", "This", "Which", "How"))]
    assert [(text, early) for text in said if (early := too_early(text, name, cell))] == []


@pytest.mark.parametrize("level", LEVELS)
def test_gym_mistakes_point_to_lessons_before_their_level(level):
    begins = {1: "04", 9: "08", 10: "08", 11: "10"}
    last = begins[max(each for each in begins if each <= level)]
    made = [question(level, f"reader {seed}") for seed in range(3)]
    assert [
        (each, mistake)
        for each in made
        for mistake in each.wrong
        if not (mistake.lesson <= last or BY_NUMBER[mistake.lesson].after)
    ] == []


def test_sections_named_by_identify_and_kill_matrix_exist():
    tables = [*TABLES["rule"].values(), *(each for kinds in TABLES["whole"].values() for each in kinds.values())]
    places = [tuple(each[2:]) for each in tables if isinstance(each, list) and each[2:]]
    places += [(wrong.lesson, wrong.section) for wrong in (*WRONG_ENGINES, *HELD_OUT, *HUNT)]
    assert len(places) > 40 and [place for place in places if not sections.is_met(place, "05", 0)] == []
    assert [
        wrong for wrong in WRONG_TENSORS if (wrong.lesson, wrong.section.replace("-", " ")) not in sections.sections()
    ] == []
    assert [
        (lesson, heading) for lesson, heading in places if heading.replace("-", " ") not in sections.places(lesson)
    ] == []


@pytest.mark.parametrize("name", ["01", "05", "why_backward"])
def test_current_lesson_is_detected_from_notebook_name_or_cells(name, monkeypatch):
    cells = [each["source"] for each in sections.cells(name) if each["cell_type"] == "code"]
    shell = type("Shell", (), {"user_ns": {"In": ["", *cells[:4]]}})()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    assert lessons.here() == name
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(lessons, "folder", lambda: None)  # as on the page, once it is without its server
        shell.user_ns = {"In": [f'exercises.quiz("{name}")']}
        assert lessons.here() == name
    file = lessons.BY_NUMBER[name].file
    shell.user_ns = {"__vsc_ipynb_file__": f"lessons/{file}"}
    assert lessons.here() == name
    monkeypatch.setenv("JPY_SESSION_NAME", "notebooks/my own.ipynb")
    assert lessons.here() == ""
