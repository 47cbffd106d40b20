"""`drawn`: the graph of a question as a picture, with a ? where a gradient is asked for."""

from exercises.practice.asked import Question
from figures import arrays, graph
from figures.picture import Picture

ROOM = 500, 420  # pixels: the answer stands beside it


def drawn(made: Question) -> Picture | None:
    """The graph of a Question as a Picture; None where it has none."""
    if made.case is None:
        return None
    root = made.case.graph()
    if made.upstream:
        root.grad = made.upstream
    nodes = graph.read_graph(root)
    texts, known = graph.texts_of(nodes, gradients=False), graph.texts_of(nodes, gradients=True)
    if made.upstream:
        last = f"n{len(nodes) - 1}.grad"
        texts |= {key: text for key, text in known.items() if key.startswith(last)}
    texts[key_of(made.asked, nodes)] = "?"
    return graph.picture(nodes, texts, None, False, graph.to_dot(nodes), room=ROOM, alt=spoken(made))


def spoken(made):
    """The graph in words: its lines of code, which tell the order of operands."""
    return "Computation graph. " + "; ".join(made.code.replace("#", "is").splitlines()) + "."


def key_of(asked, nodes):
    """The key of the text that stands for what is asked: n0.grad, or n0.grad.1.0 of an array."""
    name, *place = [asked] if isinstance(asked, str) else asked
    number = next(i for i, node in enumerate(nodes) if node.name == name)
    if not place or arrays.grid(nodes[number].data) is None:
        return f"n{number}.grad"
    row, column = place if len(place) == 2 else (0, place[0])
    return f"n{number}.grad.{row}.{column}"
