"""`my_engine.py`: what a learner writes is kept as it was run, and grows part by part."""

import os
import re
import subprocess
import sys
import textwrap

import pytest

from exercises.engine_file import own, parts, store, trial
from exercises.shelf import library
from tests import forked, sampling

IMPORTS = "import autograd, exercises, math, random\nfrom exercises import check, own, progress"
SHOW = "print(own.path().read_text())"


@pytest.fixture(scope="module")
def notebook():
    """A kernel with the course imported; each trial runs in a copy of it, with folders of its own."""
    with forked.kernel() as running:
        running.run(IMPORTS)
        yield running


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder for the engine, and for progress."""
    monkeypatch.setenv("BACKPROP_ENGINE_DIR", str(tmp_path))
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))
    store._waiting.clear()
    yield tmp_path
    store._waiting.clear()


def cell(text):
    """A cell's text, without the margin that it has here."""
    return textwrap.dedent(text).strip("\n")


def region(file, name):
    """The text under a part's heading in the file, and what the heading says."""
    found = re.search(rf"^# ── {name} · (.*?) ─+\n(.*?)(?=\n\n\n# ── )", file, re.MULTILINE | re.DOTALL)
    return found[2].strip(), found[1]


def passed(name, *given):
    """The line that checks an exercise."""
    return f"check.{name}({', '.join(given or parts.BY_NAME[name].gives)})"


RIGHT = {  # an exercise, and right answers to it in unusual forms
    "a comment above, a helper, an import": (
        "add",
        """
        # the sum of two numbers
        import operator as op


        def wrapped(number, inputs, sign):  # helps
            return Value(number, inputs, sign)


        def add(self, other):
            '''Adds.'''
            return wrapped(op.add(self.data, other.data), (self, other), "+")
        """,
    ),
    "a lambda": ("add", 'add = lambda self, other: Value(self.data + other.data, (self, other), "+")'),
    "a decorator": (
        "add",
        """
        import functools


        def logged(function):
            @functools.wraps(function)
            def inner(*args):
                return function(*args)
            return inner


        @logged
        def add(self, other):
            return Value(self.data + other.data, (self, other), "+")
        """,
    ),
    "made by another function": (
        "add",
        """
        def operation(function, sign):
            def run(self, other):
                return Value(function(self.data, other.data), (self, other), sign)
            return run


        add = operation(lambda a, b: a + b, "+")
        """,
    ),
    "global state": (
        "multiply",
        """
        count = 0


        def multiply(self, other):
            global count
            count += 1
            return Value(self.data * other.data, (self, other), "*")
        """,
    ),
    "a dataclass": (
        "make_value",
        '''
        from dataclasses import dataclass


        @dataclass(repr=False)
        class Number:
            """Mine."""

            data: float

            def __repr__(self):
                return f"Value(data={self.data:.4f})"
        ''',
    ),
    "slots": (
        "make_value",
        """
        class Number:
            __slots__ = ("data",)

            def __init__(self, data):
                self.data = data

            def __repr__(self):
                return "Value(data=%.4f)" % self.data
        """,
    ),
    "a function that calls itself": (
        "topological_order",
        """
        def search(node, order, seen):
            if id(node) not in seen:
                seen.add(id(node))
                for input in node._prev:
                    search(input, order, seen)
                order.append(node)
            return order


        def inputs_first(root):
            return search(root, [], set())
        """,
    ),
    "stored local derivatives": (
        "collect",
        """
        def pass_on(node):
            for input, local in zip(node._prev, node.locals):
                input.grad += local * node.grad


        def made(number, inputs, sign, locals):
            out = Value(number, inputs, sign)
            out.locals = locals
            out._backward = lambda: pass_on(out)
            return out


        def collecting_add(self, other):
            other = as_value(other)
            return made(self.data + other.data, (self, other), "+", (1.0, 1.0))


        def collecting_multiply(self, other):
            other = as_value(other)
            return made(self.data * other.data, (self, other), "*", (other.data, self.data))
        """,
    ),
    "one neuron as the base of a class": (
        "neuron",
        """
        class Weighted:
            def __init__(self, n_inputs):
                self.weights = [Value(random.uniform(-1, 1)) for _ in range(n_inputs)]
                self.bias = Value(random.uniform(-1, 1))


        class Neuron(Weighted):
            def __call__(self, inputs):
                return sum((w * x for w, x in zip(self.weights, inputs)), self.bias).tanh()

            def parameters(self):
                return self.weights + [self.bias]
        """,
    ),
}


@pytest.mark.parametrize("form", RIGHT)
def test_a_right_answer_is_kept_in_whatever_form(notebook, form):
    name, text = RIGHT[form]
    text = cell(text)
    _, verdict, file, again = notebook.tried(text, passed(name), SHOW, f'own.load("99"); {passed(name)}')
    assert verdict.startswith(f"✓ {name}: yes.") and "my_engine.py has it now" in verdict, verdict
    found, heading = region(file, name)
    assert found.split("\n\n# Put to work:")[0] == text
    assert "yours since" in heading
    assert again.endswith("It is in my_engine.py.")
    assert runs_alone(file)


def runs_alone(file):
    """What a file prints in a Python that sees nothing of this project, where it learns XOR."""
    found = subprocess.run(
        [sys.executable, "-I", "-c", file], capture_output=True, encoding="utf-8", cwd="/", timeout=60
    )
    assert not found.stderr, found.stderr
    return re.fullmatch(r"XOR: loss \d\.\d+ at first, 0\.0\d+ after 500 epochs\n(\[.*\n){4}", found.stdout)


def test_functions_under_other_names_are_bound_by_what_the_check_was_given(notebook):
    text = cell('def plus(a, b):\n    return Value(a.data + b.data, (a, b), "+")')
    _, verdict, file = notebook.tried(text, "check.add(plus)", SHOW)
    assert "my_engine.py has it now" in verdict
    assert region(file, "add")[0].startswith(f"{text}\n\nadd = plus  # ")
    assert runs_alone(file)


def test_two_parts_may_use_one_name_for_two_helpers(notebook):
    """The second part's helper stands in a function of its own, state and long strings included."""
    one = cell(
        """
        def help(n):
            return n


        def add(self, other):
            return Value(help(self.data + other.data), (self, other), "+")
        """
    )
    two = cell(
        '''
        """Lines
        of text"""
        calls = 0


        def help(a, b):
            global calls
            calls += 1
            return a * b


        def multiply(self, other):
            """Several
            lines."""
            return Value(help(self.data, other.data), (self, other), "*")
        '''
    )
    *_, verdict, file, both = notebook.tried(
        one, passed("add"), two, passed("multiply"), SHOW, "e = own.load(); (e.Value(3) * 4 + 5).data, e._notes"
    )
    assert "my_engine.py has it now" in verdict
    assert "def _multiply():" in file and "nonlocal calls" in file and "\nof text" in file
    assert both == "(17, [])"
    assert runs_alone(file)


NOT_TAKEN = {  # cells, the exercise, and what is said of it, where the answer is right and cannot be kept
    "a helper from another cell": (
        ['def helper(a, b, s):\n    return Value(a + b, s, "+")'],
        "def add(self, other):\n    return helper(self.data, other.data, (self, other))",
        "add",
        "Your part uses `helper` from another cell: move it into its cell, and run both cells again.",
    ),
    "the course's own package": (
        [],
        "def backward(self):\n    self.grad = 1.0\n    for n in reversed(autograd.topological_order(self)):\n"
        "        n._backward()",
        "backward",
        "my_engine.py imports nothing of the course, and your part uses `autograd`.",
    ),
    "a line for notebooks only": (
        [],
        '%precision 4\ndef add(self, other):\n    return Value(self.data + other.data, (self, other), "+")',
        "add",
        "A line of that cell begins with % or !, which only a notebook understands. Leave it out.",
    ),
    "a cell that does more than define": (
        ["from_elsewhere = 3"],
        'add = lambda self, other: Value(self.data + other.data, (self, other), "+")\nprint(from_elsewhere)',
        "add",
        "Your part uses `from_elsewhere` from another cell",
    ),
}


@pytest.mark.parametrize("case", NOT_TAKEN)
def test_what_cannot_be_kept_is_told_why_and_is_right_all_the_same(notebook, case):
    before, text, name, said = NOT_TAKEN[case]
    *_, verdict, exists = notebook.tried(*before, text, passed(name), "own.path().exists()")
    assert verdict.startswith(f"✓ {name}: yes.") and said in verdict, verdict
    assert exists == "False"


def test_a_thing_that_no_cell_defined_has_no_text(notebook):
    verdict = notebook.tried(
        "from tests.one_class import topological_order as mine", passed("topological_order", "mine")
    )[1]
    assert verdict.startswith("✓") and "It was not written in a cell of this notebook but comes from a file." in verdict


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("neuron", ["autograd.Neuron"]),
        ("topological_order", ["autograd.topological_order"]),
        ("accumulate", ["exercises.course_engine().backward", "lambda parameters: None"]),
        ("add", ["exercises.course_engine().add"]),
    ],
)
def test_what_the_course_wrote_is_no_answer(notebook, name, given):
    verdict = notebook.tried(passed(name, *given))[0]
    assert (
        verdict.startswith("✗") and "comes from the course itself. The exercise is to write one of your own." in verdict
    )


def test_where_the_cell_of_an_exercise_was_not_run_it_is_not_yet(notebook):
    """After a restart, say: the names that the check is handed are not there."""
    checks = [passed(name) for name in parts.BY_NAME if not parts.BY_NAME[name].is_frame] + ["check.moons(moons_net)"]
    said = notebook.tried(*checks, "check.slope(max)", "check.slope(nothing.at_all)", "print(undefined)")
    nothing = r"○ \w+: not yet\. There is nothing to check yet: `\w+` is None, or was not defined\."
    assert all(re.match(nothing, text) for text in said[:-3]), said
    assert said[-3].startswith("✗") and [text.split(":")[0] for text in said[-2:]] == ["NameError"] * 2


def test_the_text_is_that_of_the_cell_as_it_was_run(notebook):
    """A second run with another text replaces the first; a wrong answer run in between leaves it."""
    first = 'def add(self, other):  # one\n    return Value(self.data + other.data, (self, other), "+")'
    wrong = 'def add(self, other):\n    return Value(self.data - other.data, (self, other), "+")'
    second = first.replace("# one", "# two")
    *_, file = notebook.tried(first, passed("add"), wrong, passed("add"), SHOW)
    assert "# one" in region(file, "add")[0]
    *_, file = notebook.tried(first, passed("add"), second, passed("add"), SHOW)
    assert "# two" in region(file, "add")[0]


def test_a_later_part_of_the_learners_is_not_replaced_by_an_earlier_one(notebook):
    later, earlier = library.solution("collect").code, library.solution("add_rule").code
    *_, verdict, file = notebook.tried(later, passed("collect"), earlier, passed("add_rule"), SHOW)
    assert "my_engine.py has a later part of yours in its place: collect." in verdict
    assert "yours" in region(file, "collect")[1] and "── add_rule" not in file


def test_a_check_runs_the_answer_on_an_engine_of_its_own(notebook):
    """Whatever Value means in the notebook: nothing, a number, a class that fails."""
    text = library.solution("subtract").code
    for before in ("0", "Value = as_value = 3", "class Value:\n    pass\n\n\ndef as_value(x):\n    raise ValueError"):
        _, _, verdict, now = notebook.tried(before, text, passed("subtract"), "print('as_value' in globals())")
        assert verdict.startswith("✓"), verdict
        assert now.strip() == str("as_value" in before)


def test_right_answers_are_judged_by_their_own_cell_alone(notebook):
    """A wrong Neuron in the notebook changes nothing for a right Layer."""
    bad = "class Neuron:\n    def __init__(self, n):\n        raise ValueError('not mine')"
    *_, verdict = notebook.tried(bad, library.solution("layer").code, passed("layer"))
    assert verdict.startswith("✓") and "my_engine.py has it now" in verdict, verdict


# The file


def write(folder, *names, changed=()):
    """A file with the solutions of these exercises as a learner's parts."""
    mine = {n: region_of(n) for n in names}
    text = own.compose(mine)
    for old, new in changed:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / own.FILE).write_text(text, encoding="utf-8")
    return text


def region_of(name):
    """A solution as a learner's part."""
    text = library.solution(name).code
    return own.Region(name, text, "2026-01-31", own.mark_of(text))


def test_it_begins_as_the_course_s_whole_engine(folder):
    engine = own.load("04")
    assert engine.sentences()[0] == "my_engine.py: all 9 parts so far are still the course's."
    assert runs_alone((folder / own.FILE).read_text(encoding="utf-8"))
    assert trial.works(engine._names) == ""
    assert {name for name in parts.NAMES if name not in dir(engine)} == {"collecting_add", "collecting_multiply"}


def test_every_part_can_be_the_learners_and_each_alone(folder):
    for part in sampling.sample(parts.EXERCISES, 6, lambda part: part.name):
        text = write(folder, part.name)
        assert runs_alone(text) and not own.load()._notes, part.name
        assert trial.works(own.load()._names) == "", part.name
    assert own.parse(write(folder, *(part.name for part in parts.EXERCISES)))[0].keys() == {
        part.name for part in parts.EXERCISES if not any(part.name in other.replaces for other in parts.PARTS)
    }


def test_what_is_counted_is_what_came_before_the_lesson(folder):
    write(folder, "add", "multiply", "collect", "train")
    assert repr(own.load("03")) == "my_engine.py: 2 of the 6 parts so far are yours; the others are the course's."
    assert repr(own.load("05")).startswith("my_engine.py: 4 of the 9 parts")
    assert repr(own.load("02")).startswith("my_engine.py is your own engine. All of it is still the course's")
    shown = own.load("03")._repr_mimebundle_()["text/html"]
    assert shown.count("<b>yours</b>") == 2 and "collecting_add" not in shown and "<details" in shown


def test_a_pass_from_before_is_said(folder):
    from exercises.shelf import progress

    progress.record_pass("add")
    assert "Passed, and not in the file: add. Run your cell and its check to take it in." in repr(own.load("03"))


def test_a_part_that_was_changed_by_hand_is_judged(folder):
    write(folder, "add", changed=[("def add(self, other):", "def add(self, other):  # mine")])
    engine = own.load("03")
    assert not engine._notes and (engine.Value(1) + 2).data == 3
    assert "def add(self, other):  # mine" in (folder / own.FILE).read_text(encoding="utf-8")
    assert own.parse((folder / own.FILE).read_text(encoding="utf-8"))[0]["add"].is_noted

    text = write(folder, "add", changed=[("self.data + other.data", "self.data - other.data")])
    engine = own.load("03")
    assert "Your part add was changed in the file and is not right" in engine._notes[0]
    assert 'exercises.keep("add")' in engine._notes[0] and 'exercises.reset("add")' in engine._notes[0]
    assert (engine.Value(1) + 2).data == 3  # the course's
    assert (
        "self.data - other.data" in (folder / own.FILE).read_text(encoding="utf-8") == text
    )  # nothing of theirs is lost
    assert "unchecked" in own.keep("add")
    assert (own.load("03").Value(1) + 2).data == -1


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("return Value(self.data +", "SyntaxError"),
        ("raise ValueError('no')", "ValueError: no"),
        ("while True: pass", "had not ended"),
    ],
)
def test_a_part_that_cannot_run_falls_back_to_the_course_s(folder, new, why):
    write(folder, "add", changed=[('return Value(self.data + other.data, (self, other), "+")', new)])
    engine = own.load("03")
    assert "Your part add" in engine._notes[0] and why in engine._notes[0]
    assert (engine.Value(1) + 2).data == 3


def test_a_course_part_that_was_changed_by_hand_counts_as_the_learners(folder):
    write(folder, changed=[("def divide(self, other):  # self / other", "def divide(self, other):  # my way")])
    assert not own.load("03")._notes
    assert "yours, changed in the file" in region((folder / own.FILE).read_text(encoding="utf-8"), "divide")[1]


def test_a_newer_course_renews_its_own_parts_alone(folder):
    text = own.compose({"add": region_of("add")})
    old = (
        "def power(self, n):  # an older way\n    return Value(self.data**n, (self,), '**')\n\n\nValue.__pow__ = power"
    )
    body, heading = region(text, "power")
    text = text.replace(body, old).replace(heading, heading.replace(own.mark_of(body), own.mark_of(old)))
    (folder / own.FILE).write_text(text, encoding="utf-8")
    assert not own.load("03")._notes
    assert (folder / own.FILE).read_text(encoding="utf-8") == own.compose({"add": region_of("add")})


def test_what_stands_below_the_last_line_is_left_and_run(folder):
    (folder / own.FILE).write_text(own.compose({}) + "\n\ndef triple(x):\n    return 3 * x\n", encoding="utf-8")
    assert own.load("03")._names["triple"](own.load("03").Value(2)).data == 6
    store.update(lambda mine: mine.update(add=region_of("add")))
    assert "def triple(x):\n    return 3 * x" in (folder / own.FILE).read_text(encoding="utf-8")


def test_a_rule_that_assigns_is_the_course_s_from_lesson_05_on(folder):
    text = library.solution("add_rule").code.replace("+=", "=")
    store.update(lambda mine: mine.update(add_rule=own.Region("add_rule", text, "2026-01-31", own.mark_of(text))))
    four, five = own.load("04"), own.load("05")
    assert own.assigns(four._names, "add_rule") and not four._notes
    assert not own.assigns(five._names, "add_rule") and "Your rule of + assigns" in five._notes[0]
    assert "self.grad = 1.0 * out.grad" in (folder / own.FILE).read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [b"\x00\xff\xfe", b"print('another file')\n", b""])
def test_a_file_that_is_none_is_set_aside(folder, content):
    (folder / own.FILE).write_bytes(content)
    engine = own.load("03")
    assert "held something else or was damaged: it is now my_engine.set-aside.py" in engine._notes[0]
    assert (folder / "my_engine.set-aside.py").read_bytes() == content
    assert not own.load("03")._notes


def test_a_read_only_file_is_left_as_it_is(folder):
    text = write(folder, "add")
    (folder / own.FILE).chmod(0o444)
    said = store.update(lambda mine: mine.update(multiply=region_of("multiply")))[0]
    assert "it is read-only" in said[0] and "In this kernel's memory only: multiply" in said[0]
    assert (folder / own.FILE).read_text(encoding="utf-8") == text
    assert own.load("03").sentences()[0].startswith("my_engine.py: 2 of the 6 parts")


def test_a_folder_that_is_none_keeps_the_parts_in_memory(tmp_path, folder, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("BACKPROP_ENGINE_DIR", str(tmp_path / "file"))
    engine = own.load("03")
    assert "as long as this kernel runs" in engine._notes[0] or "cannot be read" in engine._notes[0]
    assert trial.works(engine._names) == ""


def test_reset_gives_one_part_back_after_a_dated_copy(folder):
    text = write(folder, "add", "multiply")
    said = library.reset("add")
    copy = re.search(r"my_engine\.\d{4}-\d\d-\d\d-\d{4}\.py", said)[0]
    assert (folder / copy).read_text(encoding="utf-8") == text
    assert own.parse((folder / own.FILE).read_text(encoding="utf-8"))[0].keys() == {"multiply"}
    assert "All parts are the course's again" in library.reset()
    assert not own.parse((folder / own.FILE).read_text(encoding="utf-8"))[0]
    assert library.reset("nonsense").startswith("There is no exercise 'nonsense'. There are: ")


def test_two_kernels_at_once_lose_no_part(folder):
    names = ["add", "multiply", "constants", "dual", "neuron", "mlp"]
    code = cell(
        """
        import sys
        from exercises import library, own
        name = sys.argv[1]
        text = library.solution(name).code
        store.update(lambda mine: mine.update({name: own.Region(name, text, "2026-01-31", own.mark_of(text))}))
        """
    )
    running = [subprocess.Popen([sys.executable, "-c", code, name], env=os.environ.copy()) for name in names]
    assert all(process.wait(60) == 0 for process in running)
    assert own.parse((folder / own.FILE).read_text(encoding="utf-8"))[0].keys() == set(names)
    assert sorted(path.name for path in folder.iterdir()) == [".my_engine.lock", "my_engine.py"]


def test_where_nothing_can_be_renamed_or_locked_it_is_written_plainly(folder, monkeypatch):
    fcntl = pytest.importorskip("fcntl", reason="this platform locks files in another way")

    def unknown(*args):
        raise NotImplementedError

    monkeypatch.delattr(fcntl, "flock")
    monkeypatch.setattr(os, "replace", unknown)
    store.update(lambda mine: mine.update(add=region_of("add")))
    assert own.load("03")._own.keys() == {"add"}


def test_a_write_that_fails_halfway_leaves_the_old_file(folder, monkeypatch):
    text = write(folder, "add")

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "No space left" in store.update(lambda mine: mine.update(multiply=region_of("multiply")))[0][0]
    assert (folder / own.FILE).read_text(encoding="utf-8") == text
    assert sorted(path.name for path in folder.iterdir()) == [".my_engine.lock", "my_engine.py"]


def test_a_name_that_the_engine_lacks_is_said(folder):
    with pytest.raises(AttributeError, match=r"my_engine\.py has no 'Optimizer'\. It has: Number, Value"):
        own.load("03").Optimizer  # noqa: B018


# What a stranger found by attacking it

ADD = 'def add(self, other):\n    return Value(self.data + other.data, (self, other), "+")'
MULTIPLY = ADD.replace("add", "multiply").replace("+", "*")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: re.sub(r"(?m)^# ── multiply .*\n", "", text),
        lambda text: re.sub(r"(?m)^# ── multiply ", "  # -- multiply ", text),
        lambda text: text.replace("# ── start", "import this_is_mine\n\n\n# ── start", 1),
        lambda text: text.replace("Value.__mul__ = multiply\n", "Value.__mul__ = multiply\nmine = 3\n", 1),
        lambda text: text + "\nmore = 1\n" + own.EXTRA + "\neven_more = 2\n",
    ],
)
def test_what_is_changed_by_hand_is_in_some_file_whatever_comes(folder, change):
    text = change(write(folder, "add", "multiply"))
    (folder / own.FILE).write_text(text, encoding="utf-8")
    own.load("99")
    store.update(lambda mine: mine.update(subtract=region_of("subtract")))
    kept = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    assert all(line in kept for line in text.splitlines() if not line.startswith("# ── "))


def test_a_part_that_was_changed_by_hand_is_copied_before_a_pass_replaces_it(notebook):
    edit = 'place = own.path()\nplace.write_text(place.read_text().replace("# one", "# by hand"))'
    show = 'print("\\n".join(path.read_text() for path in own.path().parent.glob("*.py")))'
    found = notebook.tried(f"{ADD}  # one", passed("add"), edit, "own.load()", f"{ADD}  # two", passed("add"), show)
    assert "What you had changed there by hand is in my_engine." in found[5]
    assert "# by hand" in found[6] and "# two" in found[6]


@pytest.mark.parametrize(
    "lines",
    [
        "\n\n\n# Put to work:\nx = 1",
        '\n\n\ntext = """\n# ── add · lesson 02 · yours since 2026-01-01 · 12345678 ──\n"""',
        f"\n\n\n{own.EXTRA}\nx = 1",
    ],
)
def test_a_line_like_those_of_the_file_is_not_taken_in(notebook, lines):
    verdict, exists = notebook.tried(MULTIPLY + lines, passed("multiply"), "own.path().exists()")[1:]
    assert verdict.startswith("✓") and "looks like a heading of my_engine.py: take it out." in verdict
    assert exists == "False"


def test_the_notebook_around_a_cell_does_not_decide(notebook):
    """A name of the cell's own that another cell has bound anew, and Python's modules under other names."""
    sign = ADD.replace('"+"', "sign")
    found = notebook.tried(f'sign = "?"\n\n\n{sign}', 'sign = "+"', passed("add"))
    assert found[-1].startswith("✗")
    one = (
        f"def help(a, b):\n    return a + b\n\n\n{ADD.replace('self.data + other.data', 'help(self.data, other.data)')}"
    )
    found = notebook.tried(one, "def help(a, b):\n    return a * b", passed("add"))
    assert found[-1].startswith("✓") and "has it now" in found[-1]
    for before, name in (("from random import random", "neuron"), ("math = 3", "dual")):
        found = notebook.tried(before, library.solution(name).code, passed(name))
        assert found[-1].startswith("✓") and "has it now" in found[-1], found[-1]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("\nimport figures", "your part imports `figures`"),
        ("\ndisplay(1)", "Your part uses `display` from another cell"),
        ('\nif __name__ == "__main__":\n    print(autograd.Value(3.0))', "your part uses `autograd`"),
    ],
)
def test_what_would_not_run_outside_of_a_notebook_is_not_taken_in(notebook, more, said):
    verdict, exists = notebook.tried(ADD + more, passed("add"), "own.path().exists()")[1:]
    assert verdict.startswith("✓") and said in verdict and exists == "False", verdict


def test_helpers_named_as_what_the_file_uses_itself_do_not_meet_it(notebook):
    helper = "\n\n\ndef net(a, b):\n    return a + b\n\n\nrows = targets = losses = main = 3"
    text = ADD.replace("self.data + other.data", "net(self.data, other.data)") + helper
    *_, verdict, file = notebook.tried(text, passed("add"), SHOW)
    assert "has it now" in verdict and runs_alone(file)


def test_two_kernels_judge_at_the_same_time_and_lose_no_part(folder):
    """A cell that takes longer than anyone waits for the lock, which therefore is not held while it runs."""
    slow = "import time\ntime.sleep(2.3)\n" + ADD
    with forked.kernel(folder) as one, forked.kernel(folder) as other:
        for running, text in ((one, slow), (other, MULTIPLY)):
            running.run(IMPORTS)
            running.run(text)
        one.client.execute(passed("add"))
        assert "has it now" in other.run(passed("multiply"))
        assert "add" in one.run("check.add(add)")
    assert own.parse((folder / own.FILE).read_text(encoding="utf-8"))[0].keys() == {"add", "multiply"}


def test_a_part_kept_unchecked_that_fails_does_not_stop_a_lesson(folder):
    write(
        folder, "add_rule", changed=[("out = Value(self.data + other.data", "out = nothing + (self.data + other.data")]
    )
    assert "unchecked" in own.keep("add_rule")
    assert own.load("04")._notes == []
    assert "Your rule of + assigns" in own.load("05")._notes[0]


def test_what_is_in_memory_alone_is_said_when_it_is_given_back(folder):
    write(folder, "add")
    (folder / own.FILE).chmod(0o444)
    store.update(lambda mine: mine.update(multiply=region_of("multiply")))
    assert "The part multiply is the course's again; no copy could be made" in library.reset("multiply")


def test_a_line_separator_in_a_text_ends_in_a_sentence(notebook):
    """IPython keeps a cell's lines split there; what it keeps is no Python, and the part is not taken in."""
    verdict = notebook.tried(f'words = "one\u2028two"\npower = 2\n\n\n{ADD}', passed("add"))[1]
    assert verdict.startswith("✓") and "There it would be a SyntaxError" in verdict


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this platform has no named pipes")
def test_a_pipe_or_a_link_in_the_files_place(folder):
    os.mkfifo(folder / own.FILE)
    assert "it is no file" in own.load("03")._notes[0]
    (folder / own.FILE).unlink()
    (folder / "elsewhere.py").write_text(own.compose({}), encoding="utf-8")
    (folder / own.FILE).symlink_to(folder / "elsewhere.py")
    store.update(lambda mine: mine.update(add=region_of("add")))
    assert (folder / own.FILE).is_symlink() and "yours since" in (folder / "elsewhere.py").read_text(encoding="utf-8")


def test_answers_by_name_may_come_in_any_order(notebook):
    verdict = notebook.tried(
        library.solution("subtract").code, "check.subtract(reflected_subtract=reflected_subtract, subtract=subtract)"
    )[1]
    assert verdict.startswith("✓")


def test_without_numpy_the_file_still_learns_xor():
    """Tensors need NumPy, and nothing else of the engine does: -S hides all that is installed."""
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", own.compose({})], capture_output=True, encoding="utf-8", cwd="/", timeout=60
    )
    assert not ran.stderr and "XOR: loss" in ran.stdout
    lines = [line.split() for line in ran.stdout.splitlines()[1:]]
    assert len(lines) == 4 and all((float(line[-1]) > 0.5) == (line[-2] == "1") for line in lines)
