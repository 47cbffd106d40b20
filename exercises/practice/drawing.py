"""`drawn`: the graph of a question as a picture, with a ? in place of the gradient to find."""

from exercises.practice.asked import Question
from exercises.verdicts.cases import format_operation
from figures.graph import reader
from figures.graph.draw import picture, texts_of, to_dot
from figures.page import arrays
from figures.page.picture import Picture

GRAPH_SIZE = 500, 420  # pixels: the answer is next to it


def drawn(made: Question) -> Picture | None:
    """Draw the graph of a Question as a Picture; return None if it has none."""
    if made.case is None:
        return None
    root = made.case.graph()
    if made.upstream:
        root.grad = made.upstream
    nodes = reader.read_graph(root)
    texts, known = texts_of(nodes, gradients=False), texts_of(nodes, gradients=True)
    if made.upstream:
        last = f"n{len(nodes) - 1}.grad"
        texts |= {key: text for key, text in known.items() if key.startswith(last)}
    texts[key_of(made.asked, nodes)] = "?"
    return picture(nodes, texts, None, False, to_dot(nodes), room=GRAPH_SIZE, alt=in_words(made))


def lines(made):
    """Return the code to show next to the picture, which does not show which operand comes first.

    For arrays, the operations alone: their numbers are in the picture, and would wrap over several lines.
    """
    if not made.upstream:
        return made.code
    return "\n".join(
        f"{name} = {format_operation(operation, operands)}" for name, operation, operands in made.case.steps
    )


def in_words(made):
    lines = [line.removeprefix("# ").replace("  # ", ", which is ") for line in made.code.splitlines()]
    asked = made.asked if isinstance(made.asked, str) else made.asked[0]
    return f"Computation graph. {'. '.join(lines)}. Asked for: {asked}.grad."


def key_of(asked, nodes):
    """Return the key of the text for the requested number: n0.grad, or n0.grad.1.0 of an array."""
    name, *place = [asked] if isinstance(asked, str) else asked
    number = next(i for i, node in enumerate(nodes) if node.name == name)
    if not place or arrays.grid(nodes[number].data) is None:
        return f"n{number}.grad"
    row, column = place if len(place) == 2 else (0, place[0])
    return f"n{number}.grad.{row}.{column}"
