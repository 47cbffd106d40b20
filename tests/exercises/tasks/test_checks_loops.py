"""The checks of accumulate and training loops: what PyTorch says of passes, and what a verdict shows.

Answers to the two other exercises, right and wrong, are in tests/attempts.
"""

import pytest

from exercises.content import library
from exercises.engine_file import check, parts
from exercises.tasks.accumulate import check as accumulate_check
from exercises.tasks.place_zero_grad import check as place_zero_grad_check
from exercises.tasks.second_pass import check as second_pass_check
from exercises.verdicts.cases import is_close
from exercises.verdicts.results import MENDED


def accumulated(*changes, cell=None):
    """Return the Verdict on the solution of `accumulate` with some text replaced, or on another `backward`."""
    code = library.solution("accumulate").code
    for old, new in changes:
        assert old in code
        code = code.replace(old, new)
    return check.accumulate(*check.accumulate.answers(f"{code}\n\n{cell or ''}"))


def is_known(verdict):
    """Return whether a known mistake is called the learner's; one change that makes the answer right is a fact."""
    return bool(verdict.mistakes) and verdict.is_whole and verdict.lead != MENDED


def mistake_names(verdict):
    return [mistake.name for mistake in verdict.mistakes]


def body(text):
    """Return lines of a function from a text in which ; is a new line and > a level; capitals are SHORT."""
    for word, meaning in SHORT.items():
        text = text.replace(word, meaning)
    lines = [line.strip() for line in text.split(";")]
    return "\n".join("    " * (len(line) - len(line.lstrip(">")) + 1) + line.lstrip(">") for line in lines)


def table(text):
    """Return (name, body, the reply to it) for each line "name: body -> reply" of a text."""
    cells = [line.strip().partition(": ") for line in text.strip().splitlines()]
    return [(name, *rest.split(" -> ")) for name, _, rest in cells]


def each(text):
    return [pytest.param(*row, id=f"{row[0]} {i}") for i, row in enumerate(table(text))]


SHORT = {
    "ROUNDS": "for _ in range(rounds):",
    "BATCHES": "for rows in batches:",
    "BACK": "model.loss(rows).backward()",
    "ZERO": "model.zero_grad()",
    "HAND": "model.w.grad = model.b.grad = 0",
    "STEP": "model.step()",
}


# A backward pass


COURSES = {
    "the package's": "def backward(self):\n    autograd.Value.backward(self)",
    "the engine's": "once = Value.backward\n\ndef backward(self):\n    once(self)",
}


@pytest.mark.parametrize("way", COURSES)
def test_wrapped_course_pass_is_not_accepted(way):
    assert "It calls the course's own." in accumulated(cell=COURSES[way]).render_text()


def test_accumulate_may_build_on_the_pass_of_lesson_04():
    once = parts.engine_namespace("backward")["backward"]
    own = check.accumulate.answers(library.solution("accumulate").code)
    names = {"once": once, "topological_order": parts.engine_namespace("backward")["topological_order"]}
    exec("def backward(self):\n    clear(self)\n    once(self)\n", names)
    names["clear"] = lambda root: [setattr(n, "grad", 0.0) for n in names["topological_order"](root) if n._prev]
    assert check.accumulate(names["backward"], own[1])


def test_class_is_rejected_in_place_of_a_function():
    """Not even one whose pass is right: the check would judge it, and not what the cell defines."""
    backward, zero_grad = check.accumulate.answers(library.solution("accumulate").code)
    said = check.accumulate(type("Value", (), {"backward": backward}), zero_grad)
    assert said.state == "wrong" and "Pass the function itself" in said.render_text()


def test_wrong_second_pass_shows_graph_and_calls():
    verdict = accumulated(("if node._prev:", "if False:"), ("+= 1.0", "= 1"))
    assert verdict.case.splitlines()[-2:] == ["f.backward()"] * 2
    assert "After two passes over one graph" in verdict.render_text() and "Computation graph" in verdict.html()


def all_passes():
    drawn = (*accumulate_check.BY_HAND, *accumulate_check.at_random())
    return [passes for case in drawn for passes in accumulate_check.passes_of(case)]


def test_expected_grads_match_pytorch(torch):
    """Dual numbers give the expected grads; the same passes on PyTorch's tensors give the same."""
    for passes in all_passes():
        nodes = passes.case.run(lambda x: torch.tensor(float(x), dtype=torch.float64, requires_grad=True))
        for node in nodes.values():
            node.retain_grad()
        for act in passes.acts:
            if isinstance(act, dict):
                for name, grad in act.items():
                    nodes[name].grad = torch.tensor(grad, dtype=torch.float64)
                continue
            for name in accumulate_check.slopes(passes.case, act):
                if nodes[name].grad_fn is not None:
                    nodes[name].grad = None
            nodes[act].backward(retain_graph=True)
        for name, grad in passes.right.items():
            assert is_close(0.0 if nodes[name].grad is None else nodes[name].grad.item(), grad), (passes.source, name)


def test_displayed_case_runs_and_gives_the_expected_grads():
    engine = parts.engine_namespace("accumulate")
    for passes in all_passes():
        names = {"Value": engine["Value"]}
        exec(passes.source, names)
        assert [(name, grad) for name, grad in passes.right.items() if not is_close(names[name].grad, grad)] == []


# Four loops

RIGHT_LOOPS = """
    one: ROUNDS; >BACK; >STEP; >ZERO
    one: while rounds:; >rounds -= 1; >for p in model.parameters(): p.grad = 0; >BACK; >STEP
    one: ROUNDS; >model.loss(rows).backward(reset="all"); >STEP
    two: ROUNDS; >ZERO; >BACK; >for p in model.parameters(): p.data -= model.lr * p.grad
    two: if rounds:; >model.w.grad = model.b.grad = None; >for row in rows: model.loss([row]).backward(); >STEP; \
>two(model, rows, rounds - 1)
    three: [one(model, rows, 1) for _ in range(rounds) for rows in batches]
    three: for rows in batches * rounds:; >loss = model.loss(rows); >ZERO; >loss.backward(); >STEP
    four: ROUNDS; >ZERO; >sum(model.loss(rows) for rows in batches).backward(); >STEP
    four: ROUNDS; >HAND; >(sum(map(model.loss, batches), Value(0.0)) * 1.0).backward(); >STEP
    four: one(model, [row for rows in batches for row in rows], rounds)
"""


@pytest.mark.parametrize("name, text", each(RIGHT_LOOPS))
def test_equivalent_training_loops_pass(name, text):
    verdict = placed(name, text)
    assert verdict, verdict


def placed(name, text):
    given, code = (
        "batches" if name in place_zero_grad_check.WITH_BATCHES else "rows",
        library.solution("place_zero_grad").code,
    )
    code += f"\n\ndef {name}(model, {given}, rounds):\n{body(text)}\n"
    return check.place_zero_grad(*check.place_zero_grad.answers(code))


WRONG_LOOPS = """
    one: for i in range(rounds):; >if i == 0: ZERO; >BACK; >STEP -> old gradients stay in the sum
    two: ROUNDS; >for p in model.parameters(): p = 0; >BACK; >STEP -> old gradients stay in the sum
    two: ROUNDS; >BACK; >STEP; ZERO -> old gradients stay in the sum
    one: ROUNDS; >BACK; >for p in model.parameters(): p.grad = 0; >STEP -> zeroed before the step could use it
    two: ROUNDS; >loss = model.loss(rows); >loss.backward(); >HAND; >STEP -> zeroed before the step could use it
    two: ROUNDS; >STEP; >HAND; >BACK -> the step comes before the backward pass
    one: ROUNDS; >loss = model.loss(rows); >loss.backward; >ZERO; >STEP -> no backward pass runs
    two: ROUNDS; >ZERO; >model.loss(rows); >STEP -> no backward pass runs
    two: loss = model.loss(rows); ROUNDS; >HAND; >loss.backward(); >STEP -> the loss is not computed again
    two: ROUNDS; >model.w.data = model.b.data = 0; >BACK; >STEP -> the parameters set to 0
    two: ROUNDS; >ZERO; >BACK; >STEP; >return -> one round only
    two: ROUNDS; >model.w.grad = 0.0; >BACK; >STEP -> only one parameter is cleared
    one: for _ in 1, 2, 3:; >HAND; >BACK; >STEP -> always three rounds
    three: ROUNDS; >HAND; >BATCHES; >>BACK; >>STEP -> zeroed once a round
    three: ROUNDS; >loss = sum(map(model.loss, batches)); >HAND; >loss.backward(); >STEP -> one update a round
    three: losses = list(map(model.loss, batches)); ROUNDS; >for loss in losses:; >>ZERO; >>loss.backward(); >>STEP \
-> the loss is not computed again
    three: ROUNDS; >BATCHES; >>BACK; >>HAND; >>STEP -> zeroed before the step could use it
    four: ROUNDS; >BATCHES; >>loss = model.loss(rows); >>ZERO; >>loss.backward(); >STEP -> only the last batch counts
    four: ROUNDS; >BATCHES; >>BACK; >HAND; >STEP -> zeroed before the step could use it
    four: ROUNDS; >BATCHES; >>HAND; >>BACK; >>STEP -> an update for each batch
    four: ROUNDS; >HAND; >BATCHES; >>loss = model.loss(rows); >loss.backward(); >STEP -> a pass for the last loss only
"""


@pytest.mark.parametrize("name, text, said", each(WRONG_LOOPS))
def test_known_mistake_in_one_loop_is_named(name, text, said):
    verdict = placed(name, text)
    assert verdict.state == "wrong" and f"`{name}` is not right yet" in verdict.render_text()
    assert verdict.is_whole and mistake_names(verdict) == [said], verdict.render_text()
    assert verdict.rows and f"{name}(model, " in verdict.case


OTHER_LOOPS = """
    one: ROUNDS; >ZERO; >BACK; >model.w.grad += .01; >STEP
    one: for i in range(rounds):; >if i % 2 == 0: ZERO; >BACK; >STEP
    two: ROUNDS; >ZERO; >BACK; >STEP; model.w.data = 0.5
    one: rows.sort(); ROUNDS; >ZERO; >BACK; >STEP
    four: rows = batches[0]; for more in batches[1:]: rows.extend(more); ROUNDS; >ZERO; >BACK; >STEP
    three: ROUNDS; >BATCHES; >>ZERO; >>(model.loss(rows) / len(rows)).backward(); >>STEP
    two: ROUNDS; >ZERO; >BACK; >for p in model.parameters(): p.data += model.lr * p.grad
    one: global kept; kept = globals().get("kept") or model; ROUNDS; >ZERO; >kept.loss(rows).backward(); >STEP
"""


@pytest.mark.long
@pytest.mark.parametrize("name, text", each(OTHER_LOOPS))
def test_other_wrong_loops_show_their_numbers(name, text):
    verdict = placed(name, text)
    assert verdict.state == "wrong" and verdict.rows and not is_known(verdict), verdict.render_text()


def test_loop_without_updates_is_reported():
    none = placed("one", "ROUNDS; >ZERO; >BACK")
    assert none.rows == (("updates", "3", "0"),) and mistake_names(none) == ["no step"]
    error = placed("two", "model.optimiser.step()")
    assert error.state == "wrong" and "Tested: " in error.says[0] and "It raised " in error.says[0]


def test_loops_are_checked_one_after_another():
    """The reply is about the first that is wrong; the others may be unchanged."""
    right, stub = library.solution("place_zero_grad").code, library.stub("place_zero_grad")
    mended, given = (
        dict(zip(place_zero_grad_check.TASKS, check.place_zero_grad.answers(code))) for code in (right, stub)
    )
    for names, first, said in (
        (("one",), "two", "zeroed before the step could use it"),
        (("one", "two"), "three", "old gradients stay in the sum"),
        (("one", "two", "three"), "four", "only the last batch counts"),
        (("two", "three", "four"), "one", "old gradients stay in the sum"),
    ):
        verdict = check.place_zero_grad(*(given | {name: mended[name] for name in names}).values())
        assert f"`{first}` is not right yet." in verdict.render_text() and mistake_names(verdict) == [said], (
            verdict.render_text()
        )
        assert ("Right so far: `one`" in verdict.render_text()) == ("one" in names)


def test_displayed_training_case_runs():
    names = dict(
        zip(place_zero_grad_check.TASKS, check.place_zero_grad.answers(library.solution("place_zero_grad").code))
    )
    for start in place_zero_grad_check.starts():
        for name in place_zero_grad_check.TASKS:
            names["model"] = line = place_zero_grad_check.Line(0.0, 0.0, 0.0)
            exec(start.to_source(name), names)
            assert [line.w.data, line.b.data] == pytest.approx(place_zero_grad_check.descent(start, name)[-1])


# A chain


def test_second_pass_factor_matches_the_engine():
    """The law by plain floats against the engine, with any local derivatives."""
    from autograd import Value, topological_order

    for k in (0, 1, 2, 5, 30):
        for reset in second_pass_check.RESETS:
            x = Value(0.3)
            y = x * 1.1
            for _ in range(k):
                y = (y * 0.9).tanh() if k < 3 else y.tanh()
            between = len(topological_order(y)) - 2
            constants = sum(not node._prev for node in topological_order(y)) - 1
            y.backward(reset=reset)
            once = x.grad
            y.backward(reset=reset)
            assert is_close(x.grad, once * second_pass_check.factor(between - constants, reset))


# All three


@pytest.mark.parametrize("name", ["accumulate", "place_zero_grad", "second_pass"])
def test_non_functions_are_rejected_with_a_message(name):
    exercise = getattr(check, name)
    verdict = exercise(*[3.0] * len(exercise.takes))
    assert verdict.state == "wrong" and "Pass the function itself" in verdict.render_text()
