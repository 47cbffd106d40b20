"""`joined`: JavaScript modules as one script for a page, which then loads nothing."""

import re
from pathlib import Path

BROWSER = Path(__file__).with_name("browser")

LINK = ("link",)
PLAYER = (
    *("link", "numbers", "parts", "frames", "prediction", "inputs", "requests"),
    *("bar", "stage", "drag", "travel", "player", "follow"),
)


def joined(*modules):
    """Join modules, by their names in `browser` or as Paths, into one script: each after those that it imports from.

    It leaves out imports, exports (except default), comments and indentation. A comment after code must have no quotes
    in it, and the code no text that goes over several lines; the linter checks the latter.
    """
    places = [module if isinstance(module, Path) else BROWSER / f"{module}.js" for module in modules]
    lines = "\n".join(place.read_text(encoding="utf-8") for place in places).splitlines()
    kept = [re.sub(r"\s// [^\"'`]*$", "", line).strip() for line in lines if not line.startswith("import ")]
    text = "\n".join(line for line in kept if line and not line.startswith("//"))
    return re.sub(r"^export (?!default)", "", text, flags=re.MULTILINE)
