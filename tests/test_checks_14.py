"""The checks of lesson 14: right answers in other forms pass, and what is seen of a wrong one is true.

Known mistakes, stubs and answers of any kind are tried in tests/test_contract.py.
"""

import pytest

from autograd.dual import Dual
from exercises.engine_file import check
from exercises.explaining.known import known
from exercises.lessons.lesson_14.guarded.check import GUARDED, Recorder
from exercises.lessons.lesson_14.segmented.check import LAYERS, PLACES, SEGMENTED, Chain, derivatives
from exercises.lessons.lesson_14.version_rule import check as version_rule_check
from exercises.shelf import library


def verdict(name, code):
    """What the check of an exercise says to a cell with this text."""
    checked = getattr(check, name)
    return checked(*checked.answers(code))


def changed(name, *pairs):
    """The solution with something else in some places."""
    code = library.solution(name).code
    for old, new in pairs:
        assert old in code
        code = code.replace(old, new)
    return code


# Exercise 1


@pytest.mark.parametrize("functions, words, calls", GUARDED, ids=[words for _, words, _ in GUARDED])
def test_a_recorders_program_is_right_where_its_branch_is_taken(functions, words, calls):
    for which, x in calls:
        f = functions[which]
        for at in (y for w, y in calls if w == which):
            recorder = Recorder(f)
            agrees = recorder.record(at)(x) == f(x)[1]
            assert agrees == (f(at)[0] == f(x)[0]), (words, at, x)
            assert recorder.at == [at]


@pytest.mark.parametrize(
    "code",
    [
        """
def guarded(record, decide):
    kept = {}
    def run(x):
        answer = decide(x)
        return kept.setdefault(answer, kept.get(answer) or record(x))(x)
    return run
""",
        """
class Run:
    def __init__(self, record, decide):
        self.kept, self.record, self.decide = [], record, decide

    def __call__(self, x):
        answer = self.decide(x)
        for known, program in self.kept:
            if known == answer:
                return program(x)
        self.kept.append((answer, self.record(x)))
        return self.kept[-1][1](x)

def guarded(record, decide):
    return Run(record, decide)
""",
    ],
    ids=["setdefault", "a class"],
)
def test_a_guard_in_another_form(code):
    found = verdict("guarded", code)
    assert found, found


def test_a_guard_that_returns_no_function():
    found = verdict("guarded", "def guarded(record, decide):\n    return 3")
    assert not found and "Return a function of x" in found.text()


def test_it_is_seen_where_it_was_recorded():
    found = verdict("guarded", changed("guarded", ("programs[answer](x)", "record(x)(x)")))
    assert not found and "2, 2, 3.5, -3.25, -3.25, -1, 0.5, -2.75" in found.text()


# Exercise 2


@pytest.mark.parametrize("count, every, x", SEGMENTED)
def test_the_oracle_is_nudging(count, every, x):
    def output(x, *parameters):
        for (layer, _), place in zip(LAYERS[:count], PLACES):
            x = layer(Dual(x), Dual(parameters[place])).value
        return x

    numbers = [x, *(number for _, number in LAYERS[:6])]
    number, slopes = derivatives(count, x)
    assert number == output(*numbers)
    for i, slope in enumerate(slopes):
        above, below = ([y + side * 1e-6 * (i == j) for j, y in enumerate(numbers)] for side in (1, -1))
        assert slope == pytest.approx((output(*above) - output(*below)) / 2e-6, rel=1e-5)
    assert all(abs(slope) > 1e-3 for slope in slopes), "a gradient that is missing is seen"


@pytest.mark.parametrize(
    "pairs",
    [
        [("(out * upstream)", "(upstream * out)"), ("return x, upstream", "return [x, upstream]")],
        [("(out * upstream)", "(out * Value(upstream))")],
        [("(out * upstream).backward()", "(out * upstream).backward()\n        del out")],
        [("entering.pop()", "entering[start // every]")],
    ],
)
def test_segments_in_another_form(pairs):
    found = verdict("segmented", changed("segmented", *pairs))
    assert found, found


ONE_RUN_OF_THE_LAST = """
def segmented(Value, layers, x, every):
    pieces = [layers[i : i + every] for i in range(0, len(layers), every)]
    entering = [x]
    for piece in pieces[:-1]:
        for layer in piece:
            x = layer(Value(x)).data
        entering.append(x)
    upstream, number = 1.0, None
    while pieces:
        leaf = out = Value(entering.pop())
        for layer in pieces.pop():
            out = layer(out)
        (out * upstream).backward()
        number, upstream = out.data if number is None else number, leaf.grad
    return number, upstream
"""


def test_a_last_segment_that_runs_once_passes():
    """Its graph can be kept until the pass back begins, as nothing comes between."""
    found = verdict("segmented", ONE_RUN_OF_THE_LAST)
    assert found, found


def test_a_graph_that_is_made_by_hand_shorter_is_not_taken_for_long():
    """What counts is which layers a graph holds, not how it was cut."""
    cut = ("x = layer(Value(x)).data", "h = layer(Value(x)); h._prev, h._backward, x = (), (lambda: None), h.data")
    found = verdict("segmented", changed("segmented", cut))
    assert found, found


@pytest.mark.parametrize("count, every, x", SEGMENTED)
def test_what_a_chain_notes_of_one_whole_graph(count, every, x):
    chain = Chain(count)
    out = chain.engine(x)
    for layer in chain.layers:
        out = layer(out)
    out.backward()
    assert (chain.runs, chain.longest, chain.passes, chain.kept) == ([1] * count, count, 1, 0)
    assert [p.grad for p in chain.parameters] == pytest.approx(derivatives(count, x)[1][1:])


def test_a_graph_that_waits_while_others_run_is_noted():
    chain = Chain(6)
    first = chain.layers[1](chain.layers[0](chain.engine(0.4)))
    for layer in chain.layers[2:5]:
        layer(chain.engine(0.4))
    first.backward()
    assert (chain.longest, chain.kept) == (2, 3)


@pytest.mark.parametrize(
    "returned, said",
    [
        ("x", "Return two numbers, (number, slope)"),
        ("(x, None)", "The slope is None, and no number"),
        ("(Value(x), upstream)", "The number is"),
    ],
)
def test_what_is_no_pair_of_numbers(returned, said):
    found = verdict("segmented", changed("segmented", ("return x, upstream", f"return {returned}")))
    assert not found and said in found.text(), found.text()


def test_a_number_handed_to_a_layer_is_said():
    found = verdict("segmented", changed("segmented", ("layer(Value(x)).data", "layer(x)")))
    assert not found and "a layer takes a Value" in found.text()


# Exercise 3


@pytest.mark.parametrize(
    "pairs",
    [
        [("return _backward", "return lambda: _backward()")],
        [("versions = [input.version for input in inputs]", "versions = tuple(map(lambda i: i.version, inputs))")],
        [("        rule()", "        return rule()")],
    ],
)
def test_a_rule_in_another_form(pairs):
    found = verdict("version_rule", changed("version_rule", *pairs))
    assert found, found


def test_the_sum_of_versions_will_do():
    """Versions only grow, so the sum is as it was where all of them are."""
    code = """
def version_rule(rule, inputs):
    before = sum(i.version for i in inputs)
    def again():
        if sum(i.version for i in inputs) != before:
            raise RuntimeError("changed")
        rule()
    return again
"""
    assert verdict("version_rule", code)


def test_what_is_seen_of_a_rule_that_runs_too_soon():
    code = changed("version_rule", ("                raise", "                rule()\n                raise"))
    found = verdict("version_rule", code)
    assert not found and "got the rule runs, and then RuntimeError" in found.text()


def test_each_case_of_the_table_can_be_told_by_a_counter():
    for _, versions, changes, right in version_rule_check.VERSIONS:
        changed_by_now, ends = set(), []
        for change in changes:
            changed_by_now |= {i for i, _ in change}
            ends.append(version_rule_check.RAISED if changed_by_now else version_rule_check.RAN)
        assert tuple(ends) == right and all(i < len(versions) for i in changed_by_now)


def test_a_rule_that_is_handed_on_is_told_from_one_that_reads_too_late():
    """Both run where they should raise. Only one of them reads a version."""
    handed_on = verdict("version_rule", "def version_rule(rule, inputs):\n    return rule")
    too_late = verdict("version_rule", known("version_rule")[0].codes(library.solution("version_rule").code)[0])
    assert [[m.name for m in found.mistakes] for found in (handed_on, too_late)] == [
        ["nothing is compared"],
        ["the versions are read when the rule is called"],
    ]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("guarded", "programs[answer](x)", "programs[answer](int(x))"),
        ("version_rule", "input.version != version", "input.version is not version"),
        ("version_rule", "zip(inputs, versions)", "zip(inputs[:2], versions)"),
    ],
)
def test_what_few_numbers_let_pass_is_refused(name, old, new):
    assert verdict(name, changed(name, (old, new))).state == "wrong"


def test_a_class_may_be_a_rule_that_knows_versions():
    code = """
class version_rule:
    def __init__(self, rule, inputs):
        self.rule, self.inputs, self.seen = rule, inputs, [i.version for i in inputs]

    def __call__(self):
        if [i.version for i in self.inputs] != self.seen:
            raise RuntimeError("changed")
        self.rule()
"""
    assert verdict("version_rule", code)
