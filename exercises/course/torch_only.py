"""`in_pytorch`: a program that only PyTorch can run, as code and with its result; recorded, if PyTorch is missing."""

import functools
import html
import json
import tomllib
from pathlib import Path

from exercises.engine_file.line_by_line import code, indent
from figures.graph.pytorch import one_thread

PROGRAMS = Path(__file__).with_name("at_work.toml")
RECORDED = Path(__file__).with_name("recorded") / "torch_only.json"
DIGITS = 5  # significant digits of the numbers that are kept


@functools.cache
def programs():
    return {name: each["code"].strip() for name, each in tomllib.loads(PROGRAMS.read_text(encoding="utf-8")).items()}


def ran(name):
    """Run a program. Return its result and PyTorch's version; raise ImportError if it is not installed."""
    with one_thread() as torch:
        names = {}
        exec(programs()[name], names)
        return shorter(names["found"]), torch.__version__.split("+")[0]


def shorter(found):
    """Return a result in the form that JSON has, with few digits."""
    if isinstance(found, dict):
        return {str(key): shorter(value) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [shorter(value) for value in found]
    return float(f"{found:.{DIGITS}g}") if isinstance(found, float) else found


def recorded(name):
    """Return a program's recorded result, and PyTorch's version then."""
    kept = json.loads(RECORDED.read_text(encoding="utf-8"))
    return kept["found"][name], kept["version"]


def record():
    """Run all programs in PyTorch and store their results."""
    found = {name: ran(name) for name in programs()}
    version = next(version for _, version in found.values())
    kept = {"version": version, "found": {name: value for name, (value, _) in found.items()}}
    RECORDED.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


class InPyTorch:
    """A program and its result: `found`, or by an index: in_pytorch("by hooks")["upstream"]."""

    def __init__(self, name):
        if name not in programs():
            raise ValueError(f"There is no program {name!r}. There are: {', '.join(programs())}.")
        self.code = programs()[name]
        try:
            self.found, version = ran(name)
            self.source = f"PyTorch {version}, run now"
        except ImportError:
            self.found, version = recorded(name)
            self.source = f"PyTorch {version}, as recorded: it is not installed here, and nothing needs it"

    def __getitem__(self, key):
        return self.found[key]

    @property
    def brief(self):
        """The result as text; for many numbers, their count."""
        if isinstance(self.found, str):
            return self.found
        return "\n".join(f"{key}: {short(value)}" for key, value in self.found.items())

    def html(self):
        """Return the code, where it ran, and its result."""
        lines = "".join(f'<div style="min-height:1.2em">{code(x, indent(x))}</div>' for x in self.code.splitlines())
        style = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;margin:.5em 0"
        found = f'<pre style="{style}">{html.escape(self.brief)}</pre>'
        return f'<div class="bp" style="max-width:70em">{lines}<p><i>{html.escape(self.source)}.</i></p>{found}</div>'

    def __repr__(self):
        return f"{self.code}\n\n{self.source}.\n{self.brief}"

    def _repr_mimebundle_(self, **kwargs):
        return {"text/html": self.html(), "text/plain": repr(self)}


def short(value):
    """Return a value as text; a list of many numbers as their count."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {short(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(f"{each:.3g}" for each in value) if len(value) <= 12 else f"{len(value)} numbers"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def in_pytorch(name):
    """Show a program that only PyTorch can run, with its result: live if PyTorch is installed, else as recorded."""
    return InPyTorch(name)
