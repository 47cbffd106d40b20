"""The checks of lesson 07: right answers of every kind pass, and each typical mistake is told what it is."""

import time

import pytest

from exercises import check, guard, library, parts
from exercises.cases import same
from exercises.checks import lesson_07
from exercises.verdict import LESSONS
from tests import lessons

ARGUMENTS = {
    "accumulate": ("backward", "zero_grad"),
    "place_zero_grad": ("one", "two", "three", "four"),
    "second_pass": ("second_pass",),
}


ZERO_GRAD = """
def zero_grad(parameters):
    for p in parameters:
        p.grad = 0.0
"""


def defined(code):
    """The names that a cell defines, in a notebook that has the engine of the lesson before."""
    names = parts.stage("backward")
    exec(code, names)
    return names


def checked(name, code):
    """The Verdict on a cell; where it is about passes alone, zero_grad is right."""
    if name == "accumulate" and "def zero_grad" not in code:
        code += ZERO_GRAD
    names = defined(code)
    return getattr(check, name)(*(names[argument] for argument in ARGUMENTS[name]))


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_solution_passes_and_takes_well_under_half_a_second(name):
    checked(name, library.solution(name).code)  # its random cases are made once
    started = time.process_time()
    verdict = checked(name, library.solution(name).code)
    assert verdict, verdict
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_untouched_stub_is_not_yet(name):
    verdict = checked(name, library.stub(name))
    assert verdict.state == "not yet" and "not yet" in verdict.text()


@pytest.mark.parametrize("name", ARGUMENTS)
def test_there_are_two_hints_and_the_solution_keeps_what_the_stub_promises(name):
    stub, solution = library.stub(name), library.solution(name)
    assert len(solution.hints) == 2
    for line in stub.splitlines():
        if line.startswith("def") or '"""' in line:
            assert line in solution.code


# A backward pass

RIGHT_PASSES = {
    "the root in the loop": """
        def backward(self):
            order = topological_order(self)
            for node in order[:-1]:
                if node._op:
                    node.grad = 0
            self.grad = 1
            for node in order[::-1]:
                node._backward()
        """,
    "leaves kept and added": """
        def backward(self):
            order = topological_order(self)
            old = [(node, node.grad) for node in order if not node._prev]
            for node in order:
                node.grad = 0.0
            self.grad = 1.0
            for node in reversed(order):
                node._backward()
            for node, grad in old:
                node.grad += grad
        """,
    "nodes of any kind of list": """
        def backward(self):
            nodes = list(topological_order(self))
            nodes.reverse()
            for node in filter(lambda node: node._prev, nodes):
                node.grad *= 0
            self.grad = self.grad + 1
            [node._backward() for node in nodes]
        """,
    "an order of its own": """
        def backward(self):
            order, seen = [], set()
            def visit(node):
                if node not in seen:
                    seen.add(node)
                    for input in node._prev:
                        visit(input)
                    order.append(node)
                    node.grad = node.grad if not node._prev else 0.0
            visit(self)
            self.grad += 1.0
            while order:
                order.pop()._backward()
        """,
    "built on the class's own": """
        once = Value.backward
        def backward(self, reset="intermediates"):
            for node in topological_order(self):
                if len(node._prev) > 0:
                    node.grad = 0.0
            once(self)
        """,
}


def dedented(code):
    """Code without the indentation that it has in this file."""
    lines = code.strip("\n").splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


@pytest.mark.parametrize("way", RIGHT_PASSES)
def test_any_pass_that_accumulates_in_leaves_passes(way):
    verdict = checked("accumulate", dedented(RIGHT_PASSES[way]))
    assert verdict, verdict


def test_a_class_is_no_answer():
    """Not even one whose pass is right: it would be judged, and not what the cell defines."""
    right = type("Value", (), {"backward": defined(library.solution("accumulate").code)["backward"]})
    said = check.accumulate(right, defined(ZERO_GRAD)["zero_grad"])
    assert said.state == "wrong" and "A function was expected" in said.text()


def test_a_lone_leaf_may_be_1_or_2_after_two_passes_and_the_note_says_so():
    kept = library.solution("accumulate").code
    assert "One note" not in checked("accumulate", kept).text()
    said = checked("accumulate", kept.replace("self.grad += 1.0", "self.grad = 1.0"))
    assert said and "One note" in said.text()
    nothing = kept.replace("self.grad += 1.0", "self.grad += 1.0 if self._prev else 0.0")
    assert "A leaf can be the root, too" in checked("accumulate", nothing).text()


def variant(*replaced):
    """The solution with some of its text replaced."""
    code = library.solution("accumulate").code
    for old, new in replaced:
        assert old in code
        code = code.replace(old, new)
    return code


CLEARING = "        if node._prev:\n            node.grad = 0.0\n"
WRONG_PASSES = {
    "no old gradient is cleared": "once = Value.backward\n\n\ndef backward(self):\n    once(self)\n",
    "the leaves are cleared too": variant((CLEARING, "        node.grad = 0.0\n")),
    "the leaves are cleared, the nodes in between are not": variant(
        ("if node._prev", "if not node._prev"), ("self.grad += 1.0", "self.grad = 1.0")
    ),
    "the root's gradient grows": variant(("for node in order:", "for node in order[:-1]:")),
    "no old gradient is cleared, the root's neither": variant((CLEARING, "        pass\n")),
    "only the root's own inputs are cleared": variant(
        ("for node in order:", "for node in self._prev:"), ("self.grad += 1.0", "self.grad = 1.0")
    ),
    "the old gradients are put back in place of the new ones": variant(
        (CLEARING, "        node.old, node.grad = node.grad, 0.0\n"),
        (
            "        node._backward()\n",
            "        node._backward()\n    for node in order:\n        if not node._prev:\n"
            "            node.grad = node.old\n",
        ),
    ),
    "old gradients counted twice": variant(
        (CLEARING, "        node.old = node.grad\n" + CLEARING),
        (
            "        node._backward()\n",
            "        node._backward()\n    for node in order:\n        if not node._prev:\n"
            "            node.grad += node.old\n",
        ),
    ),
    "cleared at the end of the pass": variant(
        (CLEARING, "        pass\n"),
        ("self.grad += 1.0", "self.grad = 1.0"),
        (
            "        node._backward()\n",
            "        node._backward()\n        node.grad = 0.0 if node._prev else node.grad\n",
        ),
    ),
    "everything is cleared at the end": variant(
        (
            "        node._backward()\n",
            "        node._backward()\n    for node in order:\n        node.grad = 0.0\n",
        ),
    ),
    "a node is cleared at its own turn": variant(
        (CLEARING, "        pass\n"),
        ("self.grad += 1.0", "self.grad = 1.0"),
        ("        node._backward()\n", "        node.grad = float(node is self)\n        node._backward()\n"),
    ),
    "the first gradient is not set to 1": variant(("self.grad += 1.0", "pass")),
    "the root's own rule is not called": variant(("reversed(order)", "order[-2::-1]")),
    "nodes with one input are not cleared": variant(("if node._prev:", "if len(node._prev) == 2:")),
    "the order is not reversed": variant(("reversed(order)", "order")),
}


ALL_ZERO = {"everything is cleared at the end", "the first gradient is not set to 1"}  # the same numbers: both named
ONLY_THE_ROOT = {"a node is cleared at its own turn", "the root's own rule is not called"}


@pytest.mark.parametrize("name", WRONG_PASSES)
def test_wrong_passes_are_explained(name):
    verdict = checked("accumulate", WRONG_PASSES[name])
    assert verdict.state == "wrong" and verdict.mistakes, verdict.text()
    named = [mistake.name for mistake in verdict.mistakes]
    assert name == named[0] or (name in named and set(named) in (ALL_ZERO, ONLY_THE_ROOT)), verdict.text()
    assert verdict.rows and "self.grad += 1" not in verdict.text()


def test_what_only_one_case_hints_at_is_not_named():
    """A mistake that gives a wrong number at one k by chance, or on one graph, is not said to be the learner's."""
    assert not check.second_pass(factors(nothing=lambda k: k * k + 2)).mistakes
    by_number = checked("accumulate", variant(("if node._prev:", "if node._prev and node.data < 0:")))
    assert by_number.state == "wrong" and not by_number.mistakes, by_number.text()


ZEROING = {  # wrong bodies of zero_grad, and the name of the mistake
    "data": ("for p in parameters:\n        p.data = 0.0", "the parameters set to 0"),
    "data too": ("for p in parameters:\n        p.grad = p.data = 0.0", "the parameters set to 0"),
    "None": ("for p in parameters:\n        p.grad = None", "None in place of 0"),
    "the name": ("for p in parameters:\n        p = 0.0", "every grad is what it was"),
    "another list": ("parameters = [0.0 for p in parameters]", "every grad is what it was"),
    "nothing": ("return", "every grad is what it was"),
    "a question": ("for p in parameters:\n        p.grad == 0.0", "every grad is what it was"),
    "the first": ("for p in parameters:\n        p.grad = 0.0\n        return", "only the first leaf begins anew"),
    "the last": ("for p in parameters:\n        pass\n    p.grad = 0.0", "only the last leaf begins anew"),
    "numbers in the list": ("parameters[:] = [0.0 for p in parameters]", "the list is changed"),
    "new leaves": ("parameters[:] = [Value(p.data) for p in parameters]", "the list is changed"),
    "taken from the list": ("while parameters:\n        parameters.pop().grad = 0.0", "the list is changed"),
}


@pytest.mark.parametrize("body, said", ZEROING.values(), ids=ZEROING)
def test_wrong_zero_grads_are_explained(body, said):
    backward = library.solution("accumulate").code.partition("def zero_grad")[0]
    verdict = checked("accumulate", f"{backward}\ndef zero_grad(parameters):\n    {body}\n")
    assert verdict.state == "wrong" and [mistake.name for mistake in verdict.mistakes] == [said], verdict.text()
    assert "backward is right. zero_grad is not." in verdict.text() and "zero_grad([a, b, c])" in verdict.case


OTHER_ZEROING = {  # no mistake that is known, or an error
    "data moved": ("for p in parameters:\n        p.data -= p.grad", "a.data: expected 1.5000, got -0.5000"),
    "added": ("for p in parameters:\n        p.grad += 1.0", "a.grad: expected 0.0000, got 3.0000"),
    "turned": ("for p in parameters:\n        p.grad = -p.grad", "a.grad: expected 0.0000, got -2.0000"),
    "all but the first": ("for p in parameters[1:]:\n        p.grad = 0.0", "a.grad: expected 0.0000, got 2.0000"),
    "gone": ("for p in parameters:\n        del p.grad", "a.grad: expected 0.0000, got none at all"),
    "False": ("for p in parameters:\n        p.grad = False", "a.grad: expected 0.0000, got False"),
    "a model": ("for p in parameters.parameters():\n        p.grad = 0.0", "It raised AttributeError"),
    "one at least": (
        "parameters[0].grad = 0.0\n    for p in parameters:\n        p.grad = 0.0",
        "It raised IndexError",
    ),
}


@pytest.mark.parametrize("body, said", OTHER_ZEROING.values(), ids=OTHER_ZEROING)
def test_other_wrong_zero_grads_are_shown_by_their_numbers(body, said):
    verdict = checked("accumulate", f"{variant()}\ndef zero_grad(parameters):\n    {body}\n")
    assert verdict.state == "wrong" and not verdict.mistakes and said in verdict.text(), verdict.text()


def test_any_zero_grad_that_clears_the_leaves_passes():
    for body in ("[setattr(p, 'grad', 0) for p in parameters]", "for p in parameters:\n        p.grad -= p.grad"):
        assert checked("accumulate", f"{variant()}\ndef zero_grad(parameters):\n    {body}\n")


def test_half_of_the_answer_is_not_yet():
    half = variant().partition("def zero_grad")[0] + "\ndef zero_grad(parameters):\n    raise NotImplementedError\n"
    found = checked("accumulate", half)
    assert found.state == "not yet" and "backward is right. Still to write: zero_grad." in found.text()
    assert checked("accumulate", library.stub("accumulate")).state == "not yet"


def test_a_wrong_second_pass_is_shown_with_its_graph_and_its_calls():
    verdict = checked("accumulate", WRONG_PASSES["no old gradient is cleared"])
    assert verdict.case.splitlines()[-1] == verdict.case.splitlines()[-2]
    assert verdict.case.endswith(".backward()")
    assert "One pass on a fresh graph is right. After two passes over one graph" in verdict.text()
    assert "Computation graph" in verdict.html()


def test_what_is_expected_is_what_pytorch_would_give(torch):
    """Dual numbers give the expected grads; the same passes on PyTorch's tensors give the same."""
    for case, passes, right in lesson_07.expected():
        nodes = case.run(lambda x: torch.tensor(float(x), dtype=torch.float64, requires_grad=True))
        for node in nodes.values():
            node.retain_grad()
        for root in passes.roots:
            for name in nodes:
                if nodes[name].grad_fn is not None:
                    nodes[name].grad = None
            nodes[root].backward(retain_graph=True)
        for name, grad in right.items():
            assert same(nodes[name].grad.item(), grad), (case, passes, name)


def test_errors_of_a_single_digit_are_found_and_float_noise_is_not():
    assert checked("accumulate", variant(("self.grad += 1.0", "self.grad += 1.0 + 1e-12")))
    assert not checked("accumulate", variant(("self.grad += 1.0", "self.grad += 1.001")))


# Four loops

RIGHT_LOOPS = {
    "at the end of each round": """
        def one(model, rows, rounds):
            for _ in range(rounds):
                model.loss(rows).backward()
                model.step()
                model.zero_grad()
        two = one
        def three(model, batches, rounds):
            for _ in range(rounds):
                for rows in batches:
                    loss = model.loss(rows)
                    model.zero_grad()
                    loss.backward()
                    model.step()
        def four(model, batches, rounds):
            for _ in range(rounds):
                model.zero_grad()
                for rows in batches:
                    model.loss(rows).backward()
                model.step()
        """,
    "by hand": """
        def clear(model):
            for parameter in model.parameters():
                parameter.grad = 0
        def one(model, rows, rounds):
            while rounds:
                rounds -= 1
                clear(model)
                model.loss(rows).backward()
                model.step()
        two = one
        def three(model, batches, rounds):
            [one(model, rows, 1) for _ in range(rounds) for rows in batches]
        def four(model, batches, rounds):
            for _ in range(rounds):
                clear(model)
                sum(model.loss(rows) for rows in batches).backward()
                model.step()
        """,
}


@pytest.mark.parametrize("way", RIGHT_LOOPS)
def test_any_loops_that_make_the_right_updates_pass(way):
    verdict = checked("place_zero_grad", dedented(RIGHT_LOOPS[way]))
    assert verdict, verdict


def loops(name, body):
    """The solution with one loop replaced."""
    given = "batches" if name in ("three", "four") else "rows"
    return f"{library.solution('place_zero_grad').code}\n\ndef {name}(model, {given}, rounds):\n{dedented_body(body)}\n"


def dedented_body(body):
    """Lines of a function from a text in which ; stands for a new line and > for a level."""
    lines = []
    for line in body.split("; "):
        depth = len(line) - len(line.lstrip(">"))
        lines.append("    " * (depth + 1) + line.lstrip(">"))
    return "\n".join(lines)


BACKWARD = "model.loss(rows).backward()"
ROUND = "for _ in range(rounds):"
WRONG_LOOPS = [
    ("one", f"{ROUND}; >{BACKWARD}; >model.step()", "old gradients stay in the sum"),
    ("one", f"model.zero_grad(); {ROUND}; >{BACKWARD}; >model.step()", "old gradients stay in the sum"),
    ("one", f"{ROUND}; >{BACKWARD}; >model.zero_grad(); >model.step()", "zeroed before the step could use it"),
    ("two", f"{ROUND}; >{BACKWARD}; >model.step(); model.zero_grad()", "old gradients stay in the sum"),
    (
        "two",
        f"{ROUND}; >model.step(); >model.zero_grad(); >{BACKWARD}",
        "the step comes before the backward pass",
    ),
    (
        "two",
        f"{ROUND}; >for p in model.parameters():; >>p.data = 0.0; >{BACKWARD}; >model.step()",
        "the parameters set to 0",
    ),
    ("two", f"{ROUND}; >model.zero_grad(); >{BACKWARD}; >model.step(); >return", "one round only"),
    ("three", f"{ROUND}; >for rows in batches:; >>{BACKWARD}; >>model.step()", "old gradients stay in the sum"),
    (
        "three",
        f"{ROUND}; >model.zero_grad(); >for rows in batches:; >>{BACKWARD}; >>model.step()",
        "zeroed once a round",
    ),
    (
        "three",
        f"{ROUND}; >model.zero_grad(); >for rows in batches:; >>{BACKWARD}; >model.step()",
        "one update a round",
    ),
    (
        "three",
        f"{ROUND}; >for rows in batches:; >>{BACKWARD}; >>model.zero_grad(); >>model.step()",
        "zeroed before the step could use it",
    ),
    ("four", f"{ROUND}; >for rows in batches:; >>{BACKWARD}; >model.step()", "old gradients stay in the sum"),
    (
        "four",
        f"{ROUND}; >for rows in batches:; >>model.zero_grad(); >>{BACKWARD}; >model.step()",
        "only the last batch counts",
    ),
    (
        "four",
        f"{ROUND}; >for rows in batches:; >>{BACKWARD}; >model.zero_grad(); >model.step()",
        "zeroed before the step could use it",
    ),
    (
        "four",
        f"{ROUND}; >for rows in batches:; >>model.zero_grad(); >>{BACKWARD}; >>model.step()",
        "an update for each batch",
    ),
]


@pytest.mark.parametrize("name, body, said", WRONG_LOOPS, ids=lambda each: each if len(str(each)) < 40 else "")
def test_wrong_loops_are_explained(name, body, said):
    verdict = checked("place_zero_grad", loops(name, body))
    assert verdict.state == "wrong" and f"`{name}` is not yet" in verdict.text()
    assert [mistake.name for mistake in verdict.mistakes] == [said], verdict.text()
    assert verdict.rows and verdict.case


def test_a_loop_that_makes_no_update_or_another_step_is_told_so():
    none = checked("place_zero_grad", loops("one", f"{ROUND}; >model.zero_grad(); >{BACKWARD}"))
    assert none.rows == (("updates", lesson_07.ROUNDS, 0),)
    shifted = f"{ROUND}; >model.zero_grad(); >{BACKWARD}; >model.w.grad += .01; >model.step()"
    close = checked("place_zero_grad", loops("one", shifted))
    assert close.rows[0][0] == "w after update 1" and not close.mistakes


def test_one_loop_mended_is_counted_and_the_next_is_explained():
    mended = library.stub("place_zero_grad").replace(
        "        model.loss(rows)", "        model.zero_grad()\n        model.loss(rows)", 1
    )
    verdict = checked("place_zero_grad", mended)
    assert "One of the four loops is right. `two` is not yet." in verdict.text()
    assert verdict.mistakes == (lesson_07.WIPED,)


def test_the_loops_of_the_stub_do_what_is_said_of_them():
    names = defined(library.stub("place_zero_grad"))
    for name in lesson_07.LOOPS:
        found = lesson_07.histories(name, names[name])
        assert lesson_07.alike_runs(found, lesson_07.of(lesson_07.STUBS[name], name))
        assert not lesson_07.alike_runs(found, lesson_07.of(lesson_07.RIGHT[name], name))


# A chain


def test_the_factor_is_what_passes_over_a_real_chain_leave():
    """The law by plain floats against the engine, with any local derivatives."""
    from autograd import Value

    for k in (0, 1, 2, 5, 30):
        for reset in lesson_07.RESETS:
            x = Value(0.3)
            y = x * 1.1
            for _ in range(k):
                y = (y * 0.9).tanh() if k < 3 else y.tanh()
            between = len(lesson_07.topological_order(y)) - 2
            constants = sum(not node._prev for node in lesson_07.topological_order(y)) - 1
            y.backward(reset=reset)
            once = x.grad
            y.backward(reset=reset)
            assert same(x.grad, once * lesson_07.factor(between - constants, reset))


RIGHT_FACTORS = {
    "a table": lambda k, reset: {"all": 1, "intermediates": 2.0}.get(reset, 2 + k),
    "counted": lambda k, reset: lesson_07.factor(k, reset),
    "a sum": lambda k, reset: 1 if reset == "all" else 2 if reset == "intermediates" else 1 + sum([1] * (k + 1)),
}


@pytest.mark.parametrize("function", RIGHT_FACTORS.values(), ids=RIGHT_FACTORS)
def test_any_right_factor_passes(function):
    assert check.second_pass(function), check.second_pass(function)


def factors(all=1, intermediates=2, nothing=lambda k: k + 2):
    """A second_pass with these answers."""

    def second_pass(k, reset):
        rule = {"all": all, "intermediates": intermediates, "nothing": nothing}[reset]
        return rule(k) if callable(rule) else rule

    return second_pass


WRONG_FACTORS = {
    "leaves that add up": factors(all=2),
    "cleared, and nothing after it": factors(all=0),
    "a leaf that forgets": factors(intermediates=1),
    "old gradients between": factors(intermediates=lambda k: k + 2),
    "the nodes in between forgotten": factors(nothing=2),
    "what the second pass adds": factors(nothing=lambda k: k + 1),
    "the root counted in": factors(nothing=lambda k: k + 3),
    "only the nodes in between": factors(nothing=lambda k: k),
    "doubled at every node": factors(nothing=lambda k: 2 ** (k + 1)),
    "every gradient counted twice": factors(nothing=lambda k: 2 * k + 2),
    "the law at k = 1": factors(nothing=3),
    "as if all were cleared": factors(nothing=1),
}


@pytest.mark.parametrize("name", WRONG_FACTORS)
def test_wrong_factors_are_explained(name):
    verdict = check.second_pass(WRONG_FACTORS[name])
    assert verdict.state == "wrong"
    assert [mistake.name for mistake in verdict.mistakes] == [name], verdict.text()
    assert "k + 2" not in verdict.text()


def test_a_factor_that_is_a_1e_3_off_is_wrong():
    assert not check.second_pass(factors(nothing=lambda k: k + 2.001))
    assert check.second_pass(factors(nothing=lambda k: k + 2 + 1e-12))


# All three


@pytest.mark.parametrize(
    "verdict",
    [
        lambda: checked("accumulate", "def backward(self):\n    self.gradient.clear()"),
        lambda: checked("place_zero_grad", loops("two", "model.optimiser.step()")),
        lambda: check.second_pass(lambda k: k),
    ],
    ids=ARGUMENTS,
)
def test_an_error_in_the_answer_is_told_in_two_sentences(verdict):
    found = verdict()
    assert found.state == "wrong" and len(found.says) == 2
    assert found.says[0].startswith("Tested: ") and "It raised " in found.says[1]


@pytest.mark.parametrize("name", ARGUMENTS)
def test_what_is_no_function_is_refused_kindly(name):
    verdict = getattr(check, name)(*[3.0] * len(ARGUMENTS[name]))
    assert verdict.state == "wrong" and "was expected" in verdict.text()


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard.guarded, "__defaults__", (0.3, guard.PATIENCE))
    endless = "def backward(self):\n    while True:\n        pass"
    assert "loop that never ends" in checked("accumulate", endless).text()
    assert checked("second_pass", library.solution("second_pass").code)


def test_every_section_that_is_named_exists():
    groups = (lesson_07.PASS_MISTAKES, *lesson_07.LOOP_MISTAKES.values(), *lesson_07.FACTOR_MISTAKES.values())
    mistakes = [*(mistake for group in groups for _, mistake in group), lesson_07.NONE]
    for lesson, section in {(mistake.lesson, mistake.section) for mistake in mistakes if mistake.lesson}:
        notebook = lessons.read(lessons.NOTEBOOKS / f"{LESSONS[lesson]}.ipynb")
        headings = [line for cell in lessons.cells(notebook, "markdown") for line in cell.source.splitlines()]
        assert f"## {section}" in headings or f"### {section}" in headings, section
