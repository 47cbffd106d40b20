"""The question that answers a wrong number is about the right operation and names, and does not give the answer."""

from autograd import Value, backward_steps, weighted_sum
from autograd.errors.messages import show
from figures.page.player import SCRIPT
from figures.passes.questions import about_gradient, about_slope, about_step, chosen
from tests.approve import approved
from tests.pictures import labelled


def leaves():
    return [Value(number, label=name) for name, number in (("x", 2.0), ("y", 0.5))]


def f_of(node):
    return labelled(node, "f")


MADE = (  # each operation on x and y
    *("x + y", "x - y", "x * y", "x / y", "x ** y", "x ** 3", "-x", "x * x", "x + x"),
    *("x.exp()", "x.log()", "x.sqrt()", "x.sin()", "x.cos()", "x.tanh()", "x.sigmoid()", "x.relu()", "x.leaky_relu()"),
)


def chain(root):
    return [step for step in backward_steps(root) if step.kind == "chain"]


def test_each_operation_has_its_question():
    """Ask about the slope for each of its arrows; and about the step, if one or two arrows arrive at the input."""
    x, y = leaves()
    made = {text: eval(text, {}, {"x": x, "y": y}) for text in MADE}
    made["weighted_sum([x, y], [3, -1], b)"] = weighted_sum([x, y], [3.0, -1.0], Value(0.1, label="b"))
    asked = [
        (about_slope(step), f"{text} {step.edge + 1}") for text, root in made.items() for step in chain(f_of(root))
    ]
    root = f_of(x * y) + x
    second, first = sorted((step for step in chain(root) if step.input == 0), key=lambda step: step.node)
    asked += [(about_step(first, 2, at), f"the {at}. of 2 arrows to x in x * y + x") for at in (1, 2)]
    asked += [(about_step(first, 1, 1), "were it the only one"), (about_step(second, 2, 2), "the other arrow")]
    asked.append((about_gradient(second, 2), "x.grad in all"))
    lines = {question: [] for question, _ in asked}
    for question, of in asked:
        lines[question].append(of)
    approved("questions", "\n".join(f"{', '.join(of)} → {question}" for question, of in lines.items()))


def test_questions_do_not_contain_the_answer():
    """Check neither the gradient nor the local derivative is given, for products of odd numbers."""
    a, b = Value(1.37, label="a"), Value(-2.91, label="b")
    root = f_of((a * b).tanh() * b)
    for step in chain(root):
        asked = about_step(step, 2, 2)
        assert show(step.after) not in asked and show(step.local) not in asked


def test_at_most_six_steps_are_chosen_in_order():
    x = Value(0.5, label="x")
    for _ in range(20):
        x = x * 0.9 + x
    steps = list(backward_steps(x))
    few = chosen(steps)
    assert len(few) == 6 and few == sorted(few, key=steps.index)
    assert chosen(steps[:4]) == steps[1:4]


def test_script_never_reveals_the_distance_to_the_answer():
    assert "off by" not in SCRIPT
