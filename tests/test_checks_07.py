"""The checks of lesson 07: right answers of every kind pass, and wrong ones are refused with what is true of them."""

import textwrap

import pytest

from exercises.engine_file import check, parts
from exercises.lessons.lesson_07.accumulate import check as accumulate_check
from exercises.lessons.lesson_07.place_zero_grad import check as place_zero_grad_check
from exercises.lessons.lesson_07.second_pass import check as second_pass_check
from exercises.sandbox import guard
from exercises.shelf import library
from exercises.verdicts.cases import same
from exercises.verdicts.verdict import MENDED

ZERO_GRAD = """
def zero_grad(parameters):
    for p in parameters:
        p.grad = 0.0
"""


def checked(name, code):
    """The Verdict on a cell; where it is about passes alone, zero_grad is right."""
    code = textwrap.dedent(code)
    if name == "accumulate" and "zero_grad" not in code:
        code += ZERO_GRAD
    exercise = getattr(check, name)
    return exercise(*exercise.answers(code))


def is_known(verdict):
    """Whether a known mistake is said to be the learner's; one change that makes the answer right is a fact."""
    return bool(verdict.mistakes) and verdict.is_whole and verdict.lead != MENDED


def named(verdict):
    """The names of the mistakes that a Verdict tells."""
    return [mistake.name for mistake in verdict.mistakes]


def body(text):
    """Lines of a function from a text in which ; stands for a new line and > for a level; capitals are SHORT."""
    for word, meaning in SHORT.items():
        text = text.replace(word, meaning)
    lines = [line.strip() for line in text.split(";")]
    return "\n".join("    " * (len(line) - len(line.lstrip(">")) + 1) + line.lstrip(">") for line in lines)


def table(text):
    """(name, body, what is said of it) for each line "name: body -> said" of a text."""
    cells = [line.strip().partition(": ") for line in text.strip().splitlines()]
    return [(name, *rest.split(" -> ")) for name, _, rest in cells]


def each(text):
    """`table` for `parametrize`, each line with its name."""
    return [pytest.param(*row, id=f"{row[0]} {i}") for i, row in enumerate(table(text))]


SHORT = {
    "ORDER": "order = topological_order(self)",
    "CLEAR": "for n in order:; >if n._prev: n.grad = 0.0",
    "RULES": "for n in reversed(order): n._backward()",
    "ONE": "self.grad = 1",
    "ROUNDS": "for _ in range(rounds):",
    "BATCHES": "for rows in batches:",
    "BACK": "model.loss(rows).backward()",
    "ZERO": "model.zero_grad()",
    "HAND": "model.w.grad = model.b.grad = 0",
    "STEP": "model.step()",
    "EACH": "for p in parameters:",
}


# A backward pass


def passing(text):
    """A cell with this body of `backward`."""
    return f"def backward(self):\n{body(text)}"


RIGHT_PASSES = """
    by _op: ORDER; for n in order[:-1]:; >if n._op: n.grad = 0; ONE; for n in order[::-1]: n._backward()
    kept: ORDER; old = [(n, n.grad) for n in order if not n._prev]; for n in order: n.grad = 0.0; ONE; RULES; \
for n, grad in old: n.grad += grad
    a filter: order = list(topological_order(self)); for n in filter(lambda n: n._prev, order): n.grad *= 0; \
self.grad = self.grad + 1; [n._backward() for n in reversed(order)]
    an order of its own: order, seen = [], set(); def visit(n):; >if n not in seen:; >>seen.add(n); \
>>for input in n._prev: visit(input); >>order.append(n); >>n.grad = n.grad if not n._prev else 0.0; \
visit(self); self.grad += 1.0; while order: order.pop()._backward()
    consumers counted: ORDER; count = {}; for n in order:; >n.grad *= not n._prev; \
>for i in n._prev: count[i] = count.get(i, 0) + 1; self.grad, ready = self.grad + 1.0, [self]; while ready:; \
>n = ready.pop(); >n._backward(); >for i in n._prev:; >>count[i] -= 1; >>if not count[i]: ready.append(i)
    NumPy's: import numpy as np; ORDER; for n in order: n.grad = np.float64(0 if n._prev else n.grad); self.grad += 1; \
for n in reversed(order):; >if n._prev: n._backward()
    another argument: ORDER; CLEAR; self.grad += 1.0; RULES; return self
"""


@pytest.mark.parametrize("way, text", each(RIGHT_PASSES))
def test_any_pass_that_accumulates_in_leaves_passes(way, text):
    verdict = checked("accumulate", passing(text).replace("(self):", "(self, reset='intermediates'):", 1))
    assert verdict, verdict


def variant(*replaced):
    """The solution with some of its text replaced."""
    code = library.solution("accumulate").code
    for old, new in replaced:
        assert old in code
        code = code.replace(old, new)
    return code


COURSES = {
    "the package's": "def backward(self):\n    autograd.Value.backward(self)",
    "the engine's": "once = Value.backward\n\ndef backward(self):\n    once(self)",
}


@pytest.mark.parametrize("way", COURSES)
def test_the_courses_own_pass_in_a_wrapper_is_no_answer(way):
    assert "It calls the course's own." in checked("accumulate", COURSES[way]).text()


def test_the_pass_of_lesson_05_may_be_built_on():
    once = parts.stage("backward")["backward"]
    own = check.accumulate.answers(variant())
    names = {"once": once, "topological_order": parts.stage("backward")["topological_order"]}
    exec("def backward(self):\n    clear(self)\n    once(self)\n", names)
    names["clear"] = lambda root: [setattr(n, "grad", 0.0) for n in names["topological_order"](root) if n._prev]
    assert check.accumulate(names["backward"], own[1])


def test_a_class_is_no_answer():
    """Not even one whose pass is right: it would be judged, and not what the cell defines."""
    backward, zero_grad = check.accumulate.answers(variant())
    said = check.accumulate(type("Value", (), {"backward": backward}), zero_grad)
    assert said.state == "wrong" and "Pass the function itself" in said.text()


def test_a_lone_leaf_may_be_1_or_2_after_two_passes_and_the_note_says_so():
    assert "One note" not in checked("accumulate", variant()).text()
    said = checked("accumulate", variant(("self.grad += 1.0", "self.grad = 1.0")))
    assert said and "One note" in said.text()
    nothing = variant(("self.grad += 1.0", "self.grad += 1.0 if self._prev else 0.0"))
    assert "A leaf can be the root, too" in checked("accumulate", nothing).text()


WRITTEN_OTHERWISE = """
    lesson 05's: ORDER; ONE; RULES -> no old gradient is cleared
    the first is a leaf: ORDER; CLEAR; >else: break; ONE; RULES -> no old gradient is cleared
    leaves by _op: ORDER; for n in order:; >if n._op == "": n.grad = 0; ONE; RULES \
-> the leaves are cleared in place of the nodes in between
    not the root: ORDER; for n in order[:-1]: n.grad = 0; ONE; RULES -> the leaves are cleared too
    by a label: ORDER; for n in order:; >if not n.label: n.grad = 0; ONE; RULES -> the leaves are cleared too
    turned round twice: ORDER; order.reverse(); CLEAR; ONE; RULES -> the order is not reversed
    wiped as it goes: ORDER; ONE; for n in order[::-1]:; >n._backward(); >n.grad = 0 -> everything is cleared at the end
    old ones of all: ORDER; old = [n.grad for n in order]; for n in order: n.grad = 0; ONE; RULES; \
for n, g in zip(order, old): n.grad += g -> the nodes in between add up, too
    its number: ORDER; CLEAR; self.grad = self.data; RULES -> the root's number as its first gradient
    no brackets: ORDER; CLEAR; ONE; for n in reversed(order): n._backward -> no rule is called
"""


@pytest.mark.parametrize("way, text, said", each(WRITTEN_OTHERWISE))
def test_a_known_mistake_is_named_however_it_is_written(way, text, said):
    verdict = checked("accumulate", passing(text))
    assert verdict.state == "wrong" and verdict.is_whole, verdict.text()
    assert said in named(verdict) or verdict.lead == MENDED, verdict.text()


UNKNOWN_PASSES = """
    each node once: if hasattr(self, "done"): return; self.done = True; ORDER; CLEAR; self.grad += 1; RULES
    sums elsewhere: ORDER; for n in order:; >n.sum = getattr(n, "sum", 0) + n.grad; >n.grad = 0; ONE; RULES; \
for n in order:; >if not n._prev: n.grad += n.sum
    by its number: ORDER; for n in order:; >if n._prev and n.data < 0: n.grad = 0; self.grad += 1; RULES
    rounded: ORDER; CLEAR; ONE; for n in order[::-1]:; >n.grad = round(n.grad, 4); >n._backward()
    the label lost: ORDER; CLEAR; ONE; RULES; for n in order: n.label = "seen"
    no inputs left: ORDER; CLEAR; ONE; RULES; for n in order: n._prev = ()
    the inputs lost: ORDER; CLEAR; ONE; RULES; for n in order: n._prev = n._prev[:1]
    capped: ORDER; for n in order[-20:]:; >if n._prev: n.grad = 0.0; ONE; RULES
    some old sums: ORDER; CLEAR; for n in order:; >if n.grad == -1.5: n.grad = 0; ONE; RULES
"""


@pytest.mark.parametrize("way, text", each(UNKNOWN_PASSES))
def test_other_wrong_passes_are_shown_by_their_numbers(way, text):
    """Memory, limits, rounding: refused, and no mistake is said to be the learner's."""
    verdict = checked("accumulate", passing(text))
    assert verdict.state == "wrong" and verdict.rows and not is_known(verdict), verdict.text()


def zeroing(text):
    """The solution with another body of zero_grad."""
    head = library.solution("accumulate").code.partition("def zero_grad")[0]
    return f"{head}def zero_grad(parameters):\n{body(text)}\n"


OTHER_ZEROING = """
    data moved: EACH p.data -= p.grad -> a.data: expected 1.5000, got -0.5000
    added: EACH p.grad += 1.0 -> a.grad: expected 0.0000, got 3.0000
    turned: EACH p.grad = -p.grad -> a.grad: expected 0.0000, got -2.0000
    gone: EACH del p.grad -> a.grad: expected 0.0000, got none at all
    False: EACH p.grad = False -> a.grad: expected 0.0000, got a bool
    a text: EACH p.grad = "0" -> a.grad: expected 0.0000, got '0'
    three of them: for p in parameters[:3]: p.grad = 0 -> d.grad: expected 0.0000, got 1.0000
    positive ones: EACH p.grad = min(p.grad, 0.0) -> b.grad: expected 0.0000, got -3.0000
    sorted: parameters.sort(key=lambda p: -p.data); EACH p.grad = 0 -> got ['c', 'b', 'a']
    once a leaf: EACH; >if not hasattr(p, "met"): p.met, p.grad = 1, 0 -> a.grad: expected 5.0000
    begun anew: EACH p.__init__(p.data) -> labels: expected ['a', 'b', 'c'], got ['', '', '']
    a model: for p in parameters.parameters(): p.grad = 0.0 -> It raised AttributeError
    one at least: parameters[0].grad = 0.0; EACH p.grad = 0.0 -> It raised IndexError
"""


@pytest.mark.parametrize("way, text, said", each(OTHER_ZEROING))
def test_other_wrong_zero_grads_are_shown_by_their_numbers(way, text, said):
    verdict = checked("accumulate", zeroing(text))
    assert verdict.state == "wrong" and said in verdict.text(), verdict.text()


RIGHT_ZEROING = """
    in a list: [setattr(p, "grad", 0) for p in parameters]
    subtracted: EACH p.grad -= p.grad
    a fraction: from fractions import Fraction; EACH p.grad = Fraction(0)
    recursion: if parameters:; >parameters[0].grad = 0.0; >zero_grad(parameters[1:])
"""


@pytest.mark.parametrize("way, text", each(RIGHT_ZEROING))
def test_any_zero_grad_that_clears_the_leaves_passes(way, text):
    assert checked("accumulate", zeroing(text))


def test_half_of_the_answer_is_not_yet_and_what_is_wrong_is_told_first():
    found = checked("accumulate", zeroing("raise NotImplementedError"))
    assert found.state == "not yet" and "`backward` is right. Still to write: `zero_grad`." in found.text()
    wrong = zeroing("raise NotImplementedError").replace("self.grad += 1.0", "self.grad += 2.0")
    assert checked("accumulate", wrong).state == "wrong"
    found = checked("accumulate", "def backward(self):\n    raise NotImplementedError\n" + ZERO_GRAD)
    assert found.state == "not yet" and "Still to write: `backward`." in found.text()


def test_a_wrong_second_pass_is_shown_with_its_graph_and_its_calls():
    verdict = checked("accumulate", passing("ORDER; ONE; RULES"))
    assert verdict.case.splitlines()[-2:] == ["f.backward()"] * 2
    assert "After two passes over one graph" in verdict.text() and "Computation graph" in verdict.html()


def all_passes():
    """All Passes that a backward is tried with."""
    return (*accumulate_check.passes(accumulate_check.BY_HAND), *accumulate_check.passes(accumulate_check.at_random()))


def test_what_is_expected_is_what_pytorch_would_give(torch):
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
            assert same(0.0 if nodes[name].grad is None else nodes[name].grad.item(), grad), (passes.text, name)


def test_a_case_runs_as_it_is_shown():
    engine = parts.stage("accumulate")
    for passes in all_passes():
        names = {"Value": engine["Value"]}
        exec(passes.text, names)
        assert all(same(names[name].grad, grad) for name, grad in passes.right.items())


def test_errors_of_a_single_digit_are_found_and_float_noise_is_not():
    assert checked("accumulate", variant(("self.grad += 1.0", "self.grad += 1.0 + 1e-12")))
    assert not checked("accumulate", variant(("self.grad += 1.0", "self.grad += 1.001")))


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
def test_any_loops_that_make_the_right_updates_pass(name, text):
    verdict = checked("place_zero_grad", loops(name, text))
    assert verdict, verdict


def loops(name, text):
    """The solution with one loop replaced."""
    given = "batches" if name in place_zero_grad_check.WITH_BATCHES else "rows"
    return f"{library.solution('place_zero_grad').code}\n\ndef {name}(model, {given}, rounds):\n{body(text)}\n"


WRONG_LOOPS = """
    one: for i in range(rounds):; >if i == 0: ZERO; >BACK; >STEP -> old gradients stay in the sum
    two: ROUNDS; >for p in model.parameters(): p = 0; >BACK; >STEP -> old gradients stay in the sum
    two: ROUNDS; >BACK; >STEP; ZERO -> old gradients stay in the sum
    one: ROUNDS; >BACK; >for p in model.parameters(): p.grad = 0; >STEP -> zeroed before the step could use it
    two: ROUNDS; >loss = model.loss(rows); >loss.backward(); >HAND; >STEP -> zeroed before the step could use it
    two: ROUNDS; >STEP; >HAND; >BACK -> the step comes before the backward pass
    one: ROUNDS; >loss = model.loss(rows); >loss.backward; >ZERO; >STEP -> no backward pass runs
    two: ROUNDS; >ZERO; >model.loss(rows); >STEP -> no backward pass runs
    two: loss = model.loss(rows); ROUNDS; >HAND; >loss.backward(); >STEP -> the loss is not computed anew
    two: ROUNDS; >model.w.data = model.b.data = 0; >BACK; >STEP -> the parameters set to 0
    two: ROUNDS; >ZERO; >BACK; >STEP; >return -> one round only
    two: ROUNDS; >model.w.grad = 0.0; >BACK; >STEP -> only one parameter is cleared
    one: for _ in 1, 2, 3:; >HAND; >BACK; >STEP -> always three rounds
    three: ROUNDS; >HAND; >BATCHES; >>BACK; >>STEP -> zeroed once a round
    three: ROUNDS; >loss = sum(map(model.loss, batches)); >HAND; >loss.backward(); >STEP -> one update a round
    three: losses = list(map(model.loss, batches)); ROUNDS; >for loss in losses:; >>ZERO; >>loss.backward(); >>STEP \
-> the loss is not computed anew
    three: ROUNDS; >BATCHES; >>BACK; >>HAND; >>STEP -> zeroed before the step could use it
    four: ROUNDS; >BATCHES; >>loss = model.loss(rows); >>ZERO; >>loss.backward(); >STEP -> only the last batch counts
    four: ROUNDS; >BATCHES; >>BACK; >HAND; >STEP -> zeroed before the step could use it
    four: ROUNDS; >BATCHES; >>HAND; >>BACK; >>STEP -> an update for each batch
    four: ROUNDS; >HAND; >BATCHES; >>loss = model.loss(rows); >loss.backward(); >STEP -> a pass for the last loss only
"""


@pytest.mark.parametrize("name, text, said", each(WRONG_LOOPS))
def test_a_mistake_in_one_loop_is_named_as_such(name, text, said):
    verdict = checked("place_zero_grad", loops(name, text))
    assert verdict.state == "wrong" and f"`{name}` is not right yet" in verdict.text()
    assert verdict.is_whole and named(verdict) == [said], verdict.text()
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


@pytest.mark.parametrize("name, text", each(OTHER_LOOPS))
def test_other_wrong_loops_are_shown_by_their_numbers(name, text):
    """Refused, and no mistake is said to be the learner's."""
    verdict = checked("place_zero_grad", loops(name, text))
    assert verdict.state == "wrong" and verdict.rows and not is_known(verdict), verdict.text()


def test_a_loop_that_makes_no_update_is_told_so():
    none = checked("place_zero_grad", loops("one", "ROUNDS; >ZERO; >BACK"))
    assert none.rows == (("updates", "3", "0"),) and named(none) == ["no step"]


def test_loops_are_mended_one_after_the_other():
    """What is said is about the first that is wrong; the others may be as they were given."""
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
        assert f"`{first}` is not right yet." in verdict.text() and named(verdict) == [said], verdict.text()
        assert ("Right so far: `one`" in verdict.text()) == ("one" in names)


def test_the_case_that_is_shown_runs_as_it_stands():
    names = dict(
        zip(place_zero_grad_check.TASKS, check.place_zero_grad.answers(library.solution("place_zero_grad").code))
    )
    for start in place_zero_grad_check.starts():
        for name in place_zero_grad_check.TASKS:
            names["model"] = line = place_zero_grad_check.Line(0.0, 0.0, 0.0)
            exec(start.text(name), names)
            assert [line.w.data, line.b.data] == pytest.approx(place_zero_grad_check.descent(start, name)[-1])


# A chain


def test_the_factor_is_what_passes_over_a_real_chain_leave():
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
            assert same(x.grad, once * second_pass_check.factor(between - constants, reset))


def factors(all="1", intermediates="2", nothing="k + 2", before=""):
    """A cell with a second_pass that gives these answers."""
    return (
        f"{before}\ndef second_pass(k, reset):\n"
        f"    if reset == 'all':\n        return {all}\n"
        f"    if reset == 'intermediates':\n        return {intermediates}\n"
        f"    return {nothing}\n"
    )


RIGHT_FACTORS = {
    "a table": "second_pass = lambda k, reset: {'all': 1, 'intermediates': 2.0}.get(reset, 2 + k)",
    "a sum": factors(nothing="1 + sum([1] * (k + 1))"),
    "recursion": factors(nothing="2 if k == 0 else 1 + second_pass(k - 1, reset)"),
    "other numbers": factors(
        "np.int64(1)", "Fraction(2)", "np.float64(k) + 2", "import numpy as np\nfrom fractions import Fraction\n"
    ),
    "measured": """
        def second_pass(k, reset):
            x = y = Value(1.0)
            for _ in range(k + 1):
                y = y.relu()
            y.backward(reset=reset)
            y.backward(reset=reset)
            return x.grad
        """,
}


@pytest.mark.parametrize("way", RIGHT_FACTORS)
def test_any_right_factor_passes(way):
    assert (found := checked("second_pass", RIGHT_FACTORS[way])), found


WRONG_FACTORS = {  # and what is said of it
    "two policies": (factors("2", nothing="k + 1"), "leaves that add up, and what the second pass adds"),
    "two others": (
        factors(intermediates="1", nothing="2 * k + 2"),
        "a leaf that forgets, and every gradient counted twice",
    ),
    "exchanged": (factors("2", "1"), "the policies exchanged"),
    "turned round": (factors("k + 2", "2", "1"), '"all" and "nothing" exchanged'),
}


@pytest.mark.parametrize("way", WRONG_FACTORS)
def test_wrong_factors_are_explained(way):
    code, said = WRONG_FACTORS[way]
    verdict = checked("second_pass", code)
    assert verdict.state == "wrong" and verdict.is_whole, verdict.text()
    assert {*named(verdict)[0].split(", and ")} == {*said.split(", and ")}
    assert "k + 2" not in verdict.text()


OTHER_FACTORS = (
    factors(nothing="k * k + 2"),
    factors(nothing="min(k, 12) + 2"),
    factors(nothing="k + 2.001"),
    factors(nothing="k + 2 if k < 3 else 2 * k"),
    factors(nothing="met.append(k) or (k + 2 if len(met) < 10 else met[0])", before="met = []"),
)


@pytest.mark.parametrize("code", OTHER_FACTORS)
def test_what_no_known_mistake_gives_is_not_said_to_be_one(code):
    verdict = checked("second_pass", code)
    assert verdict.state == "wrong" and not is_known(verdict), verdict.text()


def test_a_factor_may_have_float_noise_and_what_is_wrong_is_told_before_what_is_missing():
    assert checked("second_pass", factors(nothing="k + 2 + 1e-12"))
    assert checked("second_pass", factors(nothing="...")).state == "not yet"
    assert checked("second_pass", factors("2", nothing="...")).state == "wrong"


# All three


@pytest.mark.parametrize(
    "name, code",
    [
        ("accumulate", "def backward(self):\n    self.gradient.clear()"),
        ("place_zero_grad", loops("two", "model.optimiser.step()")),
        ("second_pass", "second_pass = lambda k: k"),
    ],
)
def test_an_error_in_the_answer_is_told_with_what_was_tested(name, code):
    found = checked(name, code)
    assert found.state == "wrong" and "Tested: " in found.says[0] and "It raised " in found.says[0]


@pytest.mark.parametrize("name", ["accumulate", "place_zero_grad", "second_pass"])
def test_what_is_no_function_is_refused_kindly(name):
    exercise = getattr(check, name)
    verdict = exercise(*[3.0] * len(exercise.takes))
    assert verdict.state == "wrong" and "Pass the function itself" in verdict.text()


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.3)
    assert "loop that never ends" in checked("accumulate", passing("while True: pass")).text()
    assert checked("second_pass", library.solution("second_pass").code)
