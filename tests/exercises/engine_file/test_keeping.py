"""An exercise is passed: what the learner wrote goes into `my_engine.py` as it was run."""

import re
import textwrap

import pytest

from exercises.engine_file import parts
from exercises.shelf import library
from tests import forked
from tests.engines import swapped
from tests.learners_files import owned_in, runs_alone, write

pytestmark = pytest.mark.long

IMPORTS = """
import autograd, exercises, math, random
from exercises import check, progress
from exercises.engine_file import loading, store
"""
SHOW = "print(store.path().read_text())"
ADD = 'def add(self, other):\n    return Value(self.data + other.data, (self, other), "+")'
MULTIPLY = ADD.replace("add", "multiply").replace("+", "*")
HELPED = ADD.replace("self.data + other.data", "help(self.data, other.data)")


@pytest.fixture(scope="module")
def notebook():
    """A kernel with the course imported; each trial runs in a copy of it, with folders of its own."""
    with forked.kernel() as running:
        running.run(IMPORTS)
        yield running


def passed(name, *given):
    """The line that checks an exercise."""
    part = parts.BY_NAME[name]
    return f"check.{name}({', '.join(given or part.functions or part.gives)})"


def is_kept(verdict):
    """Whether a verdict says that the answer is right, and in the file."""
    return verdict.startswith("✓") and "Saved to " in verdict


RIGHT = {  # an exercise, and right answers to it in unusual forms
    "a lambda": ("add", 'add = lambda self, other: Value(self.data + other.data, (self, other), "+")'),
    "a comment above, an import, a helper, a decorator": (
        "add",
        """
        # the sum of two numbers
        import functools
        import operator as op


        def wrapped(number, inputs, sign):  # helps
            return Value(number, inputs, sign)


        def logged(function):
            @functools.wraps(function)
            def inner(*args):
                return function(*args)
            return inner


        @logged
        def add(self, other):
            '''Adds.'''
            return wrapped(op.add(self.data, other.data), (self, other), "+")
        """,
    ),
    "made by another function, with global state": (
        "multiply",
        """
        count = 0


        def operation(function, sign):
            def run(self, other):
                global count
                count += 1
                return Value(function(self.data, other.data), (self, other), sign)
            return run


        multiply = operation(lambda a, b: a * b, "*")
        """,
    ),
    "a dataclass with slots": (
        "make_value",
        '''
        from dataclasses import dataclass


        @dataclass(repr=False, slots=True)
        class Number:
            """Mine."""

            data: float

            def __repr__(self):
                return f"Value(data={self.data:.4f})"
        ''',
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
        swapped(
            library.solution("neuron").code.strip(),
            ("class Neuron:", "class Weighted:"),
            ("\n    def __call__", "\n\nclass Neuron(Weighted):\n    def __call__"),
        ),
    ),
    "an object that can be called": (
        "multiply",
        """
        import functools


        class Times:
            def __get__(self, node, cls=None):
                return functools.partial(self, node)

            def __call__(self, one, other):
                return Value(one.data * other.data, (one, other), "*")


        multiply = Times()
        """,
    ),
    "a private name, which a class would change": (
        "backward",
        """
        def __pass_back(order):
            for node in order:
                node._backward()


        def backward(self):
            self.grad = 1.0
            __pass_back(reversed(topological_order(self)))
        """,
    ),
    "an order that is no list": (
        "topological_order",
        """
        def inputs_first(root, seen=None):
            seen = set() if seen is None else seen
            if root not in seen:
                seen.add(root)
                for input in root._prev:
                    yield from inputs_first(input, seen)
                yield root
        """,
    ),
    "functions of earlier exercises": (
        "constants",
        """
        def as_value(thing):
            return thing if isinstance(thing, Value) else Value(thing)


        def reflected_add(self, other):
            return add(as_value(other), self)


        def reflected_multiply(self, other):
            return multiply(as_value(other), self)
        """,
    ),
}
IN_THE_FILE = {  # what the file has for each of them
    "a lambda": "\nadd = lambda self, other: Value(self.data + other.data",
    "a comment above, an import, a helper, a decorator": "\n@logged\ndef add(self, other):\n    '''Adds.'''",
    "made by another function, with global state": '\nmultiply = operation(lambda a, b: a * b, "*")',
    "a dataclass with slots": "\n    __repr__ = Number.__repr__\n",
    "stored local derivatives": "\n        other = as_value(other)\n        return made(",
    "one neuron as the base of a class": "\nclass Neuron(Weighted):\n",
    "an object that can be called": "\nmultiply = Times()\n",
    "a private name, which a class would change": "\nValue.backward = backward\n",
    "an order that is no list": "\ndef topological_order(root):\n    return list(inputs_first(root))\n",
    "functions of earlier exercises": "\nadd = Value.__add__  # the course's\n",
}


@pytest.mark.parametrize("form", RIGHT)
def test_a_right_answer_is_saved_in_whatever_form(notebook, form):
    name, text = RIGHT[form]
    text = textwrap.dedent(text).strip("\n")
    _, verdict, file, again = notebook.tried(text, passed(name), SHOW, f'loading.load("99"); {passed(name)}')
    assert verdict.startswith(f"✓ {name}: yes.") and is_kept(verdict), verdict
    assert IN_THE_FILE[form] in file
    assert {line.strip() for line in text.split("\n") if not line.startswith("def ")} - {
        line.strip() for line in file.split("\n")
    } <= ({"class Number:"} if form == "a lambda" else set())
    assert again.endswith("It is in my_engine.py.")


def test_without_numpy_the_file_still_learns_xor(folder):
    """Tensors need NumPy, and nothing else of the engine does: -S hides all that is installed."""
    write(folder, "train", "fit")
    assert runs_alone(folder, "-S")


RUN = "import subprocess, sys; print(subprocess.check_output([sys.executable, *{}], text=True))"


def test_once_lesson_12_is_passed_the_tensors_read_digits_and_the_engine_learns_xor(notebook):
    names = "softmax", "cross_entropy_gradient", "fit"
    cells = [text for name in names for text in (library.solution(name).code, passed(name))]
    run = [RUN.format("['-I', store.path()]"), RUN.format("[store.path().with_name('my_tensor.py')]")]
    *verdicts, xor, digits = notebook.tried(*cells, *run)
    assert "digits.npz is next to it now" in verdicts[-1] and "digits.npz" not in verdicts[-3]
    assert int(re.search(r"^Digits: (\d+) of 397 new ones read right$", digits, re.MULTILINE)[1]) > 375
    assert xor.startswith("XOR: loss") and "Digits" not in xor


def test_functions_under_other_names_are_bound_by_what_the_check_was_given(notebook):
    text = ADD.replace("def add(self, other)", "def plus(self, other)")
    _, verdict, file = notebook.tried(text, "check.add(plus)", SHOW)
    assert is_kept(verdict) and ADD in file


def test_two_parts_may_use_one_name_for_two_helpers(notebook):
    """The second part's helper has another name, in its state and f-strings, too; a helper that is the same is one."""
    one = HELPED.replace("(self.data, other.data)", "(self.data + other.data)") + "\n\n\ndef help(n):\n    return n"
    two = (
        '"""Lines\nof text"""\ncalls = 0\n\n\n'
        'def help(a, b):\n    global calls\n    calls += 1\n    return float(f"{product(a, b)}")\n\n\n'
        "def product(a, b):\n    return a * b\n\n\n"
        'def multiply(self, other):\n    """Several\n    lines."""\n'
        '    return Value(help(self.data, other.data), (self, other), "*")'
    )
    *_, verdict, file, both = notebook.tried(
        one, passed("add"), two, passed("multiply"), SHOW, "e = loading.load(); (e.Value(3) * 4 + 5).data, e._notes"
    )
    assert is_kept(verdict)
    assert "def help_multiply(a, b):" in file and "\nof text" in file
    assert both == "(17.0, [])"


def test_helpers_named_as_what_the_file_uses_itself_do_not_meet_it(notebook):
    text = HELPED.replace("help(", "net(")
    helper = "\n\n\ndef net(a, b):\n    return a + b\n\n\nrows = targets = losses = main = sum = 3"
    train = library.solution("train").code
    run = RUN.format("['-I', store.path()]")
    _, verdict, *_, alone = notebook.tried(text + helper, passed("add"), train, passed("train"), run)
    assert is_kept(verdict) and alone.startswith("XOR: loss")


UNDEFINED = "def add(self, other):\n    return helper(self.data, other.data, (self, other))"
COURSES = (
    "def backward(self):\n    self.grad = 1.0\n    for node in reversed(autograd.topological_order(self)):\n"
    "        node._backward()"
)
MAIN = 'if __name__ == "__main__":\n'
SPLIT = 'words = "one\u2028two"\npower = 2'
IMPORTED = "from tests.one_class import topological_order as inputs_first"
FROM_ELSEWHERE = "Your part uses `{}` from another cell: move it into its cell, and run both cells again."
NOT_THE_COURSES = "my_engine.py imports nothing of the course, and your part"
NOT_TAKEN = {  # the exercise, and its cell, right where others were run; what is said of it, as it cannot be kept
    "a helper from another cell": ("add", UNDEFINED, FROM_ELSEWHERE.format("helper")),
    "more than is defined": ("add", f"{ADD}\nprint(from_elsewhere)", FROM_ELSEWHERE.format("from_elsewhere")),
    "a function of notebooks": ("add", f"{ADD}\ndisplay(1)", "Your part uses `display` from another cell"),
    "the course's engine": ("backward", COURSES, f"{NOT_THE_COURSES} uses `autograd`."),
    "the course's figures": ("add", f"{ADD}\nimport figures", f"{NOT_THE_COURSES} imports `figures`"),
    "a main part": ("add", f"{ADD}\n{MAIN}    print(autograd.Value(3.0))", "your part uses `autograd`"),
    "a magic": ("add", f"%precision 4\n{ADD}", "A line of that cell begins with % or !, which only a notebook"),
    "a separator at which IPython splits a text": ("add", f"{SPLIT}\n\n\n{ADD}", "There it would be a SyntaxError"),
    "what no cell defined": ("topological_order", IMPORTED, "It was not written in a cell of this notebook"),
}


@pytest.mark.parametrize("case", NOT_TAKEN)
def test_what_cannot_be_kept_is_told_why_and_is_right_all_the_same(notebook, case):
    name, text, said = NOT_TAKEN[case]
    before = "from_elsewhere = 3\n\n\ndef helper(a, b, s):\n    return Value(a + b, s, '+')"
    *_, verdict, exists = notebook.tried(before, text, passed(name), "store.path().exists()")
    assert verdict.startswith(f"✓ {name}: yes.") and said in verdict, verdict
    assert exists == "False"


def test_what_the_course_wrote_is_no_answer(notebook):
    Value = "loading.load().Value"
    both = f"{Value}.backward, lambda parameters: None"
    given = {"neuron": "autograd.Neuron", "topological_order": "autograd.topological_order", "accumulate": both}
    said = "comes from the course itself. The exercise is to write one of your own."
    for name, thing in (given | {"add": f"{Value}.__add__", "rules": Value}).items():
        verdict = notebook.tried(passed(name, thing))[0]
        assert verdict.startswith("✗") and said in verdict, name


def test_where_the_cell_of_an_exercise_was_not_run_it_is_not_yet(notebook):
    """After a restart, say: the names that the check is handed are not there."""
    checks = [passed(part.name) for part in parts.EXERCISES] + ["check.moons(moons_net)"]
    said = notebook.tried(*checks, "check.slope(max)", "check.slope(nothing.at_all)", "print(undefined)")
    nothing = r"○ \w+: not yet\. There is nothing to check yet: `\w+` is None, or was not defined\."
    assert all(re.match(nothing, text) for text in said[:-3]), said
    assert said[-3].startswith("✗") and [text.split(":")[0] for text in said[-2:]] == ["NameError"] * 2


def test_the_text_is_that_of_the_cell_as_it_was_run(notebook):
    """A second run with another text replaces the first; a wrong answer run in between leaves it."""
    first, second = f"{ADD}  # one", f"{ADD}  # two"
    for then, stands in ((ADD.replace("data +", "data -"), "# one"), (second, "# two")):
        *_, file = notebook.tried(first, passed("add"), then, passed("add"), SHOW)
        assert f"{ADD}  {stands}\n" in file and file.count("def add(") == 1


def test_a_later_part_of_the_learners_is_not_replaced_by_an_earlier_one(notebook):
    later, earlier = library.solution("collect").code, library.solution("rules").code
    checks = passed("collect", "Collecting"), passed("rules", "Arithmetic")
    begun = "Value = loading.load().Value"
    *_, verdict, file = notebook.tried(begun, later, checks[0], f"{earlier}# earlier", checks[1], SHOW)
    assert "my_engine.py has a later part of yours in its place: collect." in verdict
    assert "self.grad += out.grad" in file and "# earlier" not in file


def test_a_check_runs_the_answer_on_an_engine_of_its_own(notebook):
    """Whatever Value means in the notebook: nothing, a number, a class that fails; answers by name in any order."""
    text = library.solution("subtract").code
    check = "check.subtract(reflected_subtract=reflected_subtract, subtract=subtract)"
    for before in ("0", "Value = as_value = 3", "class Value:\n    pass\n\n\ndef as_value(x):\n    raise ValueError"):
        _, _, verdict, now = notebook.tried(before, text, check, "print('as_value' in globals())")
        assert verdict.startswith("✓"), verdict
        assert now.strip() == str("as_value" in before)


def test_the_notebook_around_a_cell_does_not_decide(notebook):
    """A name of the cell's own that another cell has bound anew, and Python's modules under other names."""
    sign = ADD.replace('"+"', "sign")
    assert notebook.tried(f'sign = "?"\n\n\n{sign}', 'sign = "+"', passed("add"))[-1].startswith("✗")
    bad = "class Neuron:\n    def __init__(self, n):\n        raise ValueError('not mine')"
    one = f"def help(a, b):\n    return a + b\n\n\n{HELPED}"
    assert is_kept(notebook.tried(one, "def help(a, b):\n    return a * b", passed("add"))[-1])
    for before, name in (("from random import random", "neuron"), ("math = 3", "dual"), (bad, "layer")):
        found = notebook.tried(before, library.solution(name).code, passed(name))
        assert is_kept(found[-1]), found[-1]


def test_a_part_that_was_changed_by_hand_is_copied_before_a_pass_replaces_it(notebook):
    edit = 'place = store.path()\nplace.write_text(place.read_text().replace("# one", "# by hand"))'
    show = 'print("\\n".join(path.read_text() for path in store.path().parent.glob("*.py")))'
    found = notebook.tried(f"{ADD}  # one", passed("add"), edit, "loading.load()", f"{ADD}  # two", passed("add"), show)
    assert "What you had changed there by hand is in my_engine." in found[5]
    assert "# by hand" in found[6] and "# two" in found[6]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("place.write_bytes(b'x = 1')", "it is now my_engine.set-aside.py, and a new one begins"),
        ("place.write_bytes(place.read_bytes().replace(b'# one', b'# \\xe9'))", "The file as it was is now my_engine."),
    ],
)
def test_what_is_set_aside_is_said_in_the_verdict_that_saves(notebook, damage, says):
    found = notebook.tried(
        f"{ADD}  # one", passed("add"), f"place = store.path()\n{damage}", MULTIPLY, passed("multiply")
    )
    assert is_kept(found[4]) and says in found[4], found[4]


def test_two_kernels_judge_at_the_same_time_and_lose_no_part(folder):
    """A cell that takes longer than anyone waits for the lock, which therefore is not held while it runs."""
    slow = "import time\ntime.sleep(2.3)\n" + ADD
    with forked.kernel(folder) as one, forked.kernel(folder) as other:
        for running, text in ((one, slow), (other, MULTIPLY)):
            running.run(IMPORTS)
            running.run(text)
        one.client.execute(passed("add"))
        assert "Saved to" in other.run(passed("multiply"))
        assert "add" in one.run("check.add(add)")
    assert owned_in(folder) == {"add", "multiply"}
