"""`joined`: modules of JavaScript as one script for a page, which then loads nothing."""

import re
from pathlib import Path

BROWSER = Path(__file__).with_name("browser")

LINK = ("link",)
PLAYER = (
    *("link", "numbers", "parts", "frames", "prediction", "inputs", "requests"),
    *("bar", "stage", "drag", "travel", "player", "follow"),
)


def joined(*modules):
    """Modules, by their names in `browser` or as Paths, as one script: each after those that it imports from.

    Imports, exports (but for a default), comments and indentation are left out. A comment after code has no quotes in
    it, and no text that goes over several lines is in the code: the linter sees to the second.
    """
    places = [module if isinstance(module, Path) else BROWSER / f"{module}.js" for module in modules]
    lines = "\n".join(place.read_text(encoding="utf-8") for place in places).splitlines()
    kept = [re.sub(r"\s// [^\"'`]*$", "", line).strip() for line in lines if not line.startswith("import ")]
    text = "\n".join(line for line in kept if line and not line.startswith("//"))
    return re.sub(r"^export (?!default)", "", text, flags=re.MULTILINE)
