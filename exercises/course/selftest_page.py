"""The page of the self-test: a row for each thing that the lessons need, and a small graph."""

import html
import platform
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import traitlets

import autograd
import figures
from exercises.quizzes.linked import Linked
from exercises.storage import progress
from figures.graph import layout
from figures.page import scripts

HERE = Path(__file__).parent

WORKS, FAILS, OPTIONAL, WAITING = "works", "does not work", "not needed", "waiting"
SIGNS = {WORKS: "✓", FAILS: "✗", OPTIONAL: "–", WAITING: "…"}

DRAWN_BY = {"pygraphviz_svg": "pygraphviz", "program_svg": "the dot program", "browser_svg": "the browser"}


@dataclass(frozen=True)
class Row:
    """One trial: its name, its state, and a sentence."""

    name: str
    state: str
    says: str


class SelfTest(Linked):
    """The self-test as a table. One row is live: the browser calls the kernel, and reports when it has answered."""

    script = scripts.joined(HERE / "selftest.js")
    looks = (HERE / "selftest.css").read_text(encoding="utf-8")

    call = traitlets.Int(0).tag(sync=True)  # counts the browser's calls
    answer = traitlets.Int(0).tag(sync=True)  # the last call that the kernel received

    def __init__(self):
        self.rows = [kernel(), engine(), widgets(), graph_layout(), progress_file(), pytorch()]
        self.drawing = small_graph()
        super().__init__()
        self.observe(lambda change: self.set_trait("answer", change["new"]), "call")

    def spec(self):
        return {}  # the page has it all already

    def instead(self):
        rows = "".join(
            f'<tr data-state="{row.state}" data-row="{row.name}"><th scope="row">{row.name}</th>'
            f'<td class="bp-state"><span aria-hidden="true">{SIGNS[row.state]}</span> <span>{row.state}</span></td>'
            f"<td>{html.escape(row.says)}</td></tr>"
            for row in self.rows
        )
        head = "".join(f'<th scope="col">{name}</th>' for name in ("what", "state", "details"))
        return (
            f'<div class="bp bp-self-test"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
            f"{self.drawing.html()}</div>"
        )

    def render_text(self):
        lines = [f"{SIGNS[row.state]} {row.name}: {row.state}. {row.says}" for row in self.rows]
        return "\n".join([*lines, "", self.drawing.text])


def kernel():
    """Report the Python that runs the cells."""
    return Row("kernel", WORKS, f"Python {platform.python_version()} runs the cells.")


def engine():
    """Test the engine; that it is the right library is known already."""
    x = autograd.Value(3.0)
    (x * x).backward()
    state = WORKS if x.grad == 6 else FAILS
    return Row("autograd", state, f"The engine of this course, from {Path(autograd.__file__).parent}.")


def widgets():
    """Return the row of the connection between browser and kernel, which only the browser can test."""
    return Row("widgets", WAITING, "The browser calls the kernel and waits for its answer.")


def graph_layout():
    """Find the program that places the nodes of a graph here, if there is one."""
    faults = []
    for backend in layout.BACKENDS:
        try:
            backend("digraph { a -> c; b -> c }")
        except Exception as fault:  # as in layout.py: a broken installation fails in many ways
            faults.append(f"{type(fault).__name__}: {fault}")
        else:
            return Row("graphs", WORKS, f"Drawn by {DRAWN_BY[backend.__name__]}. Below is a graph of three nodes.")
    return Row("graphs", FAILS, f"{layout.HOW_TO_INSTALL} ({'; '.join(faults)})")


def progress_file():
    """Report where progress is stored."""
    progress.read()
    if progress.kept_in_memory():
        return Row("progress", FAILS, f"{progress.path()} cannot be used, so progress lasts as long as this kernel.")
    return Row("progress", WORKS, f"Stored in {progress.path()}; to start over: exercises.progress.reset().")


def pytorch():
    """Report PyTorch, with which some figures compare if it is installed."""
    try:
        return Row(
            "PyTorch", WORKS, f"Version {metadata.version('torch')}. Nothing needs it; some lessons compare with it."
        )
    except metadata.PackageNotFoundError:
        return Row("PyTorch", OPTIONAL, "Not installed: nothing needs it.")


def small_graph():
    """Draw c = a + b as a Picture, or as a table if nothing can draw it."""
    a, b = autograd.Value(2.0, label="a"), autograd.Value(3.0, label="b")
    c = a + b
    c.label = "c"
    return figures.draw_graph(c)
