"""The checks of guarded, segmented and version_rule: what their tables and instruments can tell.

Answers to them, right and wrong, are in tests/attempts.
"""

import pytest

from autograd.dual import Dual
from exercises.tasks.guarded.check import GUARDED, Recorder
from exercises.tasks.segmented.check import LAYERS, PLACES, SEGMENTED, Chain, derivatives
from exercises.tasks.version_rule import check as version_rule_check


@pytest.mark.parametrize("functions, words, calls", GUARDED, ids=[words for _, words, _ in GUARDED])
def test_recorded_program_is_right_when_the_branch_matches(functions, words, calls):
    for which, x in calls:
        f = functions[which]
        for at in (y for w, y in calls if w == which):
            recorder = Recorder(f)
            agrees = recorder.record(at)(x) == f(x)[1]
            assert agrees == (f(at)[0] == f(x)[0]), (words, at, x)
            assert recorder.at == [at]


@pytest.mark.parametrize("count, every, x", SEGMENTED)
def test_segmented_derivatives_match_finite_differences(count, every, x):
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
    assert [slope for slope in slopes if not (abs(slope) > 1e-3)] == [], "a gradient that is missing is seen"


@pytest.mark.parametrize("count, every, x", SEGMENTED)
def test_chain_counts_runs_and_passes_of_one_whole_graph(count, every, x):
    chain = Chain(count)
    out = chain.engine(x)
    for layer in chain.layers:
        out = layer(out)
    out.backward()
    assert (chain.runs, chain.longest, chain.passes, chain.kept) == ([1] * count, count, 1, 0)
    assert [p.grad for p in chain.parameters] == pytest.approx(derivatives(count, x)[1][1:])


def test_chain_counts_nodes_kept_while_others_run():
    chain = Chain(6)
    first = chain.layers[1](chain.layers[0](chain.engine(0.4)))
    for layer in chain.layers[2:5]:
        layer(chain.engine(0.4))
    first.backward()
    assert (chain.longest, chain.kept) == (2, 3)


def test_version_counter_decides_each_case():
    for _, versions, changes, right in version_rule_check.VERSIONS:
        changed_by_now, ends = set(), []
        for change in changes:
            changed_by_now |= {i for i, _ in change}
            ends.append(version_rule_check.RAISED if changed_by_now else version_rule_check.RAN)
        assert tuple(ends) == right and [i for i in changed_by_now if i >= len(versions)] == []
