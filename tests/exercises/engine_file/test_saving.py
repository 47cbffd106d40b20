"""When an exercise is passed, the learner's code goes into `my_engine.py` exactly as it ran."""

import itertools
import re

import pytest

from exercises.content import library
from exercises.engine_file import parts
from exercises.engine_file.places import slots_of
from tests import forked
from tests.learners_files import IMPORTS, SHOW, is_kept, owned_in, passed, runs_alone, write

pytestmark = pytest.mark.long

CLIP = (
    "def clip(parameters, limit):\n    length = math.sqrt(sum(p.grad**2 for p in parameters))\n"
    "    for p in parameters:\n        p.grad *= min(1, limit / length) if length else 1\n    return length"
)
OTHER = library.solution("cross_entropy").code
HELPED = CLIP.replace("min(1, limit / length)", "help(limit, length)")
HELP = "def help(a, b):\n    return min(1, a / b)"


def test_engine_file_learns_xor_without_numpy(folder):
    """Only Tensors need NumPy: -S hides everything that is installed."""
    write(folder, "train", "fit")
    assert runs_alone(folder, "-S")


RUN = "import subprocess, sys; print(subprocess.check_output([sys.executable, *{}], text=True))"


def test_file_after_lesson_09_reads_digits_and_learns_xor(notebook):
    names = "softmax", "cross_entropy_gradient", "fit"
    cells = [text for name in names for text in (library.solution(name).code, passed(name))]
    run = [RUN.format("['-I', store.path()]"), RUN.format("[store.path().with_name('my_tensor.py')]")]
    *verdicts, xor, digits = notebook.tried(*cells, *run)
    assert "digits.npz is next to it now" in verdicts[-1] and "digits.npz" not in verdicts[-3]
    assert int(re.search(r"^Digits: (\d+) of 397 new ones read right$", digits, re.MULTILINE)[1]) > 375
    assert xor.startswith("XOR: loss") and "Digits" not in xor


def test_function_under_another_name_is_bound_by_the_check(notebook):
    text = CLIP.replace("def clip(", "def cut(")
    _, verdict, file = notebook.tried(text, "check.clip(cut)", SHOW)
    assert is_kept(verdict) and CLIP in file


def test_equally_named_helpers_of_two_parts_are_renamed(notebook):
    """The second helper gets another name, in its state and f-strings too; an identical helper stays one."""
    one = HELPED.replace("help(limit, length)", "help(limit / length)") + "\n\n\ndef help(n):\n    return min(1, n)"
    two = (
        '"""Lines\nof text"""\ncalls = 0\n\n\n'
        'def help(a, b):\n    global calls\n    calls += 1\n    return float(f"{product(a, b)}")\n\n\n'
        "def product(a, b):\n    return max(a, b)\n\n\n"
        'class Relu(Value):\n    def relu(self):\n        """Several\n        lines."""\n'
        '        out = Value(help(self.data, 0.0), (self,), "relu")\n\n'
        "        def _backward():\n            self.grad += (self.data > 0) * out.grad\n\n"
        "        out._backward = _backward\n        return out"
    )
    *_, verdict, file, both = notebook.tried(
        "from autograd import Value",
        one,
        passed("clip"),
        two,
        passed("relu"),
        SHOW,
        "e = loading.load(); e.Value(17).relu().data, e._notes",
    )
    assert is_kept(verdict)
    assert "def help_relu(a, b):" in file and "\nof text" in file
    assert both == "(17.0, [])"


def test_helpers_do_not_clash_with_names_of_the_file(notebook):
    text = HELPED.replace("help(", "net(")
    helper = "\n\n\ndef net(a, b):\n    return min(1, a / b)\n\n\nrows = targets = losses = main = 3"
    train = library.solution("train").code
    run = RUN.format("['-I', store.path()]")
    _, verdict, *_, alone = notebook.tried(text + helper, passed("clip"), train, passed("train"), run)
    assert is_kept(verdict) and alone.startswith("XOR: loss")


CLIPS_TRIAL = (
    "\n\na, b = Value(2.0), Value(3.0)\nprint(clip([a, b], 1.0), from_elsewhere)\na.grad = 1.0\n"
    "for self in (a, b):\n    display(self)\nif __name__ == '__main__':\n    print(autograd.Value(3.0))\n"
)


def test_trial_lines_are_not_saved(notebook):
    """Learners write them below the function; what the function uses comes along."""
    text = f"{CLIP}{CLIPS_TRIAL}"
    *_, verdict, file = notebook.tried("from_elsewhere = 3", text, passed("clip"), SHOW)
    assert is_kept(verdict)
    assert not [
        line for line in ("print(clip", "from_elsewhere", "a.grad = 1.0", "display", "autograd") if line in file
    ]


UNDEFINED = HELPED.replace("help(", "helper(")
COURSES = (
    "def backward(self):\n    self.grad = 1.0\n    for node in reversed(autograd.topological_order(self)):\n"
    "        node._backward()"
)
SPLIT = 'words = "one\u2028two"\npower = 2'
IMPORTED = "from tests.one_class import topological_order as inputs_first"
FROM_ELSEWHERE = "Your part uses `{}` from another cell: move it into its cell, and run both cells again."
NOT_THE_COURSES = "my_engine.py imports nothing of the course, and your part"
NOT_TAKEN = {  # the exercise, and its cell, right where others were run; the message, because it cannot be saved
    "a helper from another cell": ("clip", UNDEFINED, FROM_ELSEWHERE.format("helper")),
    "a function of notebooks": (
        "clip",
        CLIP.replace("\n    ", "\n    display\n    ", 1),
        "uses `display` from another",
    ),
    "a name of notebooks alone": (
        "clip",
        CLIP.replace("\n    ", "\n    mine\n    ", 1),
        "my_engine.py does not know `mine`",
    ),
    "the course's engine": ("backward", COURSES, f"{NOT_THE_COURSES} uses `autograd`."),
    "the course's figures": ("clip", f"{CLIP}\nimport figures", f"{NOT_THE_COURSES} imports `figures`"),
    "a magic": ("clip", f"%precision 4\n{CLIP}", "A line of that cell begins with % or !, which only a notebook"),
    "a separator at which IPython splits a text": ("clip", f"{SPLIT}\n\n\n{CLIP}", "There it would be a SyntaxError"),
    "what no cell defined": ("topological_order", IMPORTED, "It was not written in a cell of this notebook"),
}


@pytest.mark.parametrize("case", NOT_TAKEN)
def test_unsaveable_answer_is_right_with_a_reason(notebook, case):
    name, text, said = NOT_TAKEN[case]
    before = f"import math\nfrom_elsewhere = mine = 3\n\n\n{HELP.replace('help', 'helper')}"
    *_, verdict, exists = notebook.tried(before, text, passed(name), "store.path().exists()")
    assert verdict.startswith(f"✓ {name}: yes.") and said in verdict, verdict
    assert exists == "False"


def test_course_code_is_not_accepted_as_an_answer(notebook):
    Value = "loading.load().Value"
    given = {"neuron": "autograd.Neuron", "topological_order": "autograd.topological_order", "rules": Value}
    said = "comes from the course itself. The exercise is to write your own."
    for name, thing in (given | {"accumulate": f"{Value}.backward, lambda parameters: None"}).items():
        verdict = notebook.tried(passed(name, thing))[0]
        assert verdict.startswith("✗") and said in verdict, name


def test_check_before_its_cell_ran_is_not_attempted(notebook):
    """For example after a restart: the names that the check gets do not exist."""
    checks = [passed(part.name) for part in parts.EXERCISES] + ["check.moons(moons_net)"]
    said = notebook.tried(*checks, "check.slope(max)", "check.slope(nothing.at_all)", "print(undefined)")
    nothing = r"○ \w+: not yet\. There is nothing to check yet: `\w+` is None, or was not defined\."
    assert [text for text in said[:-3] if not re.match(nothing, text)] == [], said
    assert said[-3].startswith("✗") and [text.split(":")[0] for text in said[-2:]] == ["NameError"] * 2


def test_saved_text_is_that_of_the_cell_that_ran(notebook):
    """A second run with another text replaces the first; a wrong answer run in between leaves it."""
    first, second = f"{CLIP}  # one", f"{CLIP}  # two"
    for then, stands in ((CLIP.replace("min(", "max("), "# one"), (second, "# two")):
        *_, file = notebook.tried(first, passed("clip"), then, passed("clip"), SHOW)
        assert f"{CLIP}  {stands}\n" in file and file.count("def clip(") == 1


IN_ONE_PLACE = [  # two exercises, of which the later one fills all places of the earlier one
    (earlier.name, later.name)
    for earlier, later in itertools.combinations(parts.EXERCISES, 2)
    if {*slots_of(earlier.name)} <= {*slots_of(later.name)}
]


@pytest.mark.parametrize(("earlier", "later"), IN_ONE_PLACE)
def test_earlier_part_does_not_replace_a_later_one(notebook, earlier, later):
    texts = [f"{library.solution(name).code.rstrip()}  # {name}" for name in (earlier, later)]
    cells = "from autograd import Value", texts[1], passed(later), SHOW, texts[0], passed(earlier), SHOW
    *_, before, _, verdict, file = notebook.tried(*cells)
    assert f"my_engine.py has a later part of yours in its place: {later}." in verdict
    assert f"# {later}\n" in file and file == before


def test_later_parts_replaced_by_an_earlier_one_are_named(notebook):
    given = [text for name in ("matmul", "rows", "assemble") for text in (library.solution(name).code, passed(name))]
    *_, verdict = notebook.tried("from autograd.tensor import Tensor", *given)
    assert verdict.endswith("It replaces what your matmul and rows had put there.")


def test_check_runs_the_answer_on_its_own_engine(notebook):
    """Whatever Value means in the notebook: nothing, a number, a class that fails; answers by name in any order."""
    text = library.solution("subtract").code
    check = "check.subtract(reflected_subtract=reflected_subtract, subtract=subtract)"
    for before in ("0", "Value = as_value = 3", "class Value:\n    pass\n\n\ndef as_value(x):\n    raise ValueError"):
        _, _, verdict, now = notebook.tried(before, text, check, "print('as_value' in globals())")
        assert verdict.startswith("✓"), verdict
        assert now.strip() == str("as_value" in before)


def test_notebook_names_do_not_affect_the_verdict(notebook):
    """A name of the cell that another cell has rebound, and Python's modules under other names."""
    one = CLIP.replace("min(1,", "min(most,")
    assert notebook.tried(f"most = 2\n\n\n{one}", "most = 1", passed("clip"))[-1].startswith("✗")
    bad = "class Neuron:\n    def __init__(self, n):\n        raise ValueError('not mine')"
    one = f"{HELP}\n\n\n{HELPED}"
    assert is_kept(notebook.tried(one, "def help(a, b):\n    return a * b", passed("clip"))[-1])
    for before, name in (("from random import random", "neuron"), ("math = 3", "dual"), (bad, "layer")):
        found = notebook.tried(before, library.solution(name).code, passed(name))
        assert is_kept(found[-1]), found[-1]


def test_hand_edited_part_is_copied_before_a_pass_replaces_it(notebook):
    edit = 'place = store.path()\nplace.write_text(place.read_text().replace("# one", "# by hand"))'
    show = 'print("\\n".join(path.read_text() for path in store.path().parent.glob("*.py")))'
    found = notebook.tried(
        f"{CLIP}  # one", passed("clip"), edit, "loading.load()", f"{CLIP}  # two", passed("clip"), show
    )
    assert "What you had changed there by hand is in my_engine." in found[5]
    assert "# by hand" in found[6] and "# two" in found[6]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("place.write_bytes(b'x = 1')", "it is now my_engine.set-aside.py, and a new one begins"),
        ("place.write_bytes(place.read_bytes().replace(b'# one', b'# \\xe9'))", "The file as it was is now my_engine."),
    ],
)
def test_set_aside_file_is_reported_in_the_saving_verdict(notebook, damage, says):
    cells = f"{CLIP}  # one", passed("clip"), f"place = store.path()\n{damage}", OTHER, passed("cross_entropy")
    *_, said = notebook.tried(*cells)
    assert is_kept(said) and says in said, said


def test_two_kernels_checking_at_once_lose_no_part(folder):
    """The cell takes longer than anyone waits for the lock, which must not be held while it runs."""
    slow = "import time\ntime.sleep(2.3)\n" + CLIP
    with forked.kernel(folder) as one, forked.kernel(folder) as other:
        for running, text in ((one, slow), (other, OTHER)):
            running.run(IMPORTS)
            running.run(text)
        one.client.execute(passed("clip"))
        assert "Saved to" in other.run(passed("cross_entropy"))
        assert "clip" in one.run("check.clip(clip)")
    assert owned_in(folder) == {"clip", "cross_entropy"}
