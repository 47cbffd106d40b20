"""`explained`, `read_engine`: the course's engine and the package's, line by line, with an explanation of each line."""

import ast
import html
import inspect
import operator
import textwrap

from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String

import autograd
from exercises.content import library
from exercises.engine_file.parts import BY_NAME, PARTS, WIRES, sections

COLOURS = {  # kinds of tokens, and the names of their colours in JupyterLab's themes
    Keyword: "keyword",
    Operator.Word: "keyword",
    Name.Function: "def",
    Name.Class: "def",
    Name.Builtin: "builtin",
    Number: "number",
    String: "string",
    Comment: "comment",
}
PROMISE = "What it promises, in words."
NETWORK = tuple(BY_NAME[name] for name in ("neuron", "layer", "mlp"))
PACKAGE = sections("package.py")  # the package's code again, without docstrings, with an explanation of each line


class Explained:
    """[(Part, [(line, its explanation)])] for some of the course's parts, the wires of a part among its lines."""

    def __init__(self, parts):
        self.parts = [(part, list(lines_said(part))) for part in parts]

    def html(self):
        """Return the parts as HTML, each behind a click."""
        return f'<div style="line-height:1.35">{"".join(part_html(*each) for each in self.parts)}</div>'

    def __repr__(self):
        return "\n\n".join("\n".join([heading(part), *map(line_text, lines)]) for part, lines in self.parts)

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html(), "text/plain": repr(self)}


def lines_said(part):
    """Yield (line, its explanation) for each line of a part and of its wires that is not empty."""
    for _, line, says in (*part.lines, *WIRES.get(part.name, ())):
        if line.strip():
            yield line, PROMISE if line.lstrip().startswith('"""') else says


def heading(part):
    """Return a part's name and lesson, as in `my_engine.py`."""
    return f"{part.name} · lesson {part.lesson}"


def part_html(part, lines):
    """Return a part as HTML: its heading, which opens it, and a row for each of its lines."""
    rows = "".join(line_html(*each, "11fr", "9fr") for each in lines)
    return (
        f'<details style="margin:0"><summary style="cursor:pointer">{heading(part)}</summary>'
        f'<div style="margin:.2em 0 .6em 3ch;max-width:72em">{rows}</div></details>'
    )


def line_html(line, says, *widths):
    """Return a line of code as HTML, next to its explanation; alone if it has none."""
    if not says:
        return f'<div style="padding:.15em 0">{code(line, indent(line))}</div>'
    columns = " ".join(f"minmax(0,{width})" for width in widths)
    return (
        f'<div style="display:grid;grid-template-columns:{columns};gap:0 1.5em;padding:.15em 0">'
        f"{code(line, indent(line))}<span>{library.marked(says)}</span></div>"
    )


def line_text(each):
    line, says = each
    return f"{line}\n    → {says}" if says else line


def indent(line):
    return len(line) - len(line.lstrip())


def code(line, columns):
    """Return a line of code as HTML, indented by so many columns; if it wraps, the rest is indented too."""
    place = "inline" if not columns else "block"
    style = f"display:{place};padding:0 0 0 {columns}ch;white-space:pre-wrap;background:none"
    return f'<code style="{style}">{coloured(line.strip())}</code>'


def coloured(line):
    """Return a line of Python as HTML, in the colours of JupyterLab's editor, which follow its theme."""
    parts = []
    for kind, text in PythonLexer(ensurenl=False).get_tokens(line):
        colour = next((COLOURS[each] for each in reversed(kind.split()) if each in COLOURS), None)
        text = html.escape(text)
        parts.append(f'<span style="color:var(--jp-mirror-editor-{colour}-color)">{text}</span>' if colour else text)
    return "".join(parts)


def explained(what="engine"):
    """Show the course's code, part by part: each opens on a click, and explains its lines.

    what: "engine", as lesson 04 leaves it, or "network", the three classes of lesson 06.
    """
    if what not in ("engine", "network"):
        raise ValueError(f'what is explained is the "engine" or the "network", got {what!r}.')
    to_backward = PARTS[: PARTS.index(BY_NAME["backward"]) + 1]
    replaced = "topological_order", "first_rules", "first_backward"  # by deep_order; or the same as later parts
    return Explained([part for part in to_backward if part.name not in replaced] if what == "engine" else NETWORK)


class Method:
    """A method of the package: its place in the file, and (line, its explanation) for each of its lines."""

    def __init__(self, name):
        if name not in PACKAGE:
            raise ValueError(f"read_engine has {', '.join(PACKAGE)}; got {name!r}.")
        source, first = inspect.getsourcelines(operator.attrgetter(name)(autograd))
        self.place = f"autograd/value.py, lines {first} to {first + len(source) - 1}"
        lines, says = textwrap.dedent("".join(source)).rstrip().splitlines(), [line.says for line in PACKAGE[name]]
        documented = ast.parse("\n".join(lines)).body[0].body[0]
        if isinstance(documented, ast.Expr):
            first, end = documented.lineno - 1, documented.end_lineno
            says[first:first] = [PROMISE] if end - first == 1 else [""] * (end - first)
        self.lines = list(zip(lines, says))

    def html(self):
        """Return the lines of code as HTML, each next to its explanation."""
        rows = "".join(line_html(*each, "12fr", "8fr") for each in self.lines)
        place = f'<p style="margin:0 0 .4em"><i>{self.place}</i></p>'
        return f'<div style="line-height:1.35;max-width:84em">{place}{rows}</div>'

    def __repr__(self):
        return "\n".join([self.place, *map(line_text, self.lines)])

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html(), "text/plain": repr(self)}


def read_engine(name):
    """Show a method of the package's Value, such as "Value.backward", read from its file: it is the code that runs."""
    return Method(name)
