"""When do I zero the gradients, and of what? Its numbers are what the engines, plain floats and the labs give."""

import autograd
from autograd.dual import forward_gradient
from exercises.course import pytorch
from figures import policy, stale
from figures.charts.static_charts import histogram
from tests.lab_graphs import shown
from tests.labs import ask
from tests.notebooks import Lesson

WORKSHOP = Lesson("what_should_be_zeroed", trains=True)


def test_second_pass_grads_and_lab_predictions():
    drawn = WORKSHOP.output("plain_pass(e)\nfigures.draw_graph(e)").splitlines()[1:]
    assert [float(line.split()[-1]) for line in drawn] == [3, 3, 2, 10, 1]
    cells, found = (
        [f"cell.{reset}.{{}}.2" for reset in ("nothing", "all", "intermediates")],
        shown(policy(predict=True)),
    )
    passes, batches = ([found[cell.format(group)] for cell in cells] for group in ("passes", "batches"))
    assert passes == ["3.0000, 3.0000, 10.0000", "1.0000, 1.0000, 5.0000", "2.0000, 2.0000, 10.0000"]
    assert batches == ["8.0000", "5.0000", "8.0000"]
    found = shown(policy(4, predict=True))
    assert [found[cell.format("chain")] for cell in (cells[0], cells[2])] == ["6.0000", "2.0000"]
    player = stale(a=3, b=2, new=-1)
    ask(player, new=0.0)
    assert shown(player)["cell.closures.b"].startswith("0 ") and shown(player)["cell.numbers.b"] == "36"


def test_network_without_zero_grad_freezes():
    used = {"zeroed": WORKSHOP["used_with"], "not": WORKSHOP["used_without"]}
    zeroed, kept = histogram(used, bins=40).means.values()
    WORKSHOP.says(f"their mean size is {kept:.2f} against {zeroed:.2f}", f"the {len(used['not']):,} gradients")
    WORKSHOP.says("the largest is {1:.1f} against {0:.1f}".format(*(max(map(abs, each)) for each in used.values())))
    WORKSHOP.shows("(0.0, 45.887", "[1.0, 1.0, 1.0, 1.0]")
    assert WORKSHOP.output("for zero in (True, False)]") in ("[25, 7]", "[26, 7]")  # tanh's last digits


def test_stale_numbers_match_pytorch():
    old, new = (forward_gradient(lambda a, b: (a * b) * (a * b), [a, 3.0])[1] for a in (2.0, 5.0))
    WORKSHOP.says(f"2 · y · a = {old:g}", f"2 · 15 · 5 = {new:g}")
    assert WORKSHOP.output("y._backward()\nb.grad") == "60.0" and autograd.Value(1.0)._local == ()
    assert "modified by an inplace operation" in pytorch.recorded("stale numbers")[0][-2]
