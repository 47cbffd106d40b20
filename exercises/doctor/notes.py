"""The doctor's notes next to its verdict: conventions, where a mistake is, and faults that raise."""

import re

from exercises.content.library import Mistake
from exercises.explaining import explanation
from exercises.explaining.recording import FORWARD
from exercises.verdicts.cases import KINDS, Case

TWICE = Case((("a", 2.0), ("b", 3.0)), (("d", "*", ("a", "b")), ("e", "+", ("d", "a"))))  # a.grad is 4
AT_ZERO = Case((("a", 0.0),), (("d", "relu", ("a",)),))
SET_ORDER = Mistake(
    "the result depends on a set's order",
    "Built twice, the same graph gets different gradients: a set of nodes is ordered by their addresses.",
)
SOME_RUNS = "What it gets wrong depends on a set's order: built again, the same graph may get other gradients."
FORWARD_ONLY = "computed as", "value of", "computes", "wrong way round", "raises", "returns", "keep all", "stored on"
MORE = "More is wrong than these mistakes explain; its cause is unknown."
PLAIN = {"number - value": "__rsub__", "number / value": "__rtruediv__"}
PLAIN |= {"n+v": "__radd__", "n-v": "__rsub__", "n*v": "__rmul__", "n/v": "__rtruediv__"}
PLAIN |= {f"v{sign}n": sign for sign in "+-*/"}


def lacks(alone):
    """Return sentences on the operations that the engine lacks."""
    missing = [kind for kind, record in alone.items() if record.get("where") == FORWARD]
    said = f"Not tried, because the engine does not take it: {', '.join(missing)} (v a node, n a number)."
    return [said] if missing else []


def conventions(examination, alone, is_rough):
    """Return sentences on what is a convention and not a fault."""
    found, grad = [], examination.engine["grad"]
    if is_rough:
        found.append("It calculates with float32, so its numbers agree to six or seven digits.")
    if {"+", "*"} <= {kind for kind in alone if "error" not in alone[kind]}:
        twice = examination.run([TWICE], passes=2)[0].get("grads", [None])[0]
        again = {8.0: "as in PyTorch", 4.0: "the second pass starts from 0", 11.0: "inside the graph, too"}
        if twice in (8.0, 11.0):
            found.append(f"Gradients add up over passes ({again[twice]}): set `{grad}` to 0 in between.")
    if "relu" in alone and "error" not in alone["relu"] and examination.run([AT_ZERO])[0].get("grads") == [1.0]:
        found.append("relu passes its gradient on at 0; PyTorch does not. Either is a convention.")
    if error := examination.ask("compute_chain"):
        found.append(f"A chain of 2,000 additions raises {error}: the backward pass is recursive.")
    if examination.engine["stand_ins"]:
        found.append(f"Not imported, a stand-in was used: {', '.join(examination.engine['stand_ins'])}.")
    return found


def mistake_note(kinds, fault, message, where, tried):
    """Return the Mistake of operations that raise. tried: how many kinds of steps there are."""
    said = ", ".join(kinds) if len(kinds) < tried else "every operation"
    if fault == "NotANode":
        name = f"{said} returns nothing" if "nothing" in message else f"{said} returns no node"
        return Mistake(name, f"{message[0].upper()}{message[1:]}.")
    return Mistake(f"{said} raises {fault}", f"{message} ({where}).".replace("..", ".").strip())


def line_of(mistake, engine, text_of, raised=()):
    """Return where a mistake is, "line 12" or "code cell 2, line 5"; "" if unknown.

    raised: {name of a Mistake, or its end: (file, line)} of exceptions.
    """
    words = re.findall(r"[^\s,:]+", mistake.name.replace("'s", ""))
    key = next((key for text, key in PLAIN.items() if text in mistake.name), None)
    key = key or ("+" if "every rule" in mistake.name else None)
    key = key or next((word for word in words if word in KINDS or word in explanation.RULES), "backward")
    rule = engine["rules"].get(key) if not any(part in mistake.name for part in FORWARD_ONLY) else None
    found = next((place for name, place in dict(raised).items() if mistake.name.endswith(name)), rule)
    if found is None:
        if key not in engine["lines"]:
            return ""
        file, first, last = engine["lines"][key]
        assigned = re.compile(rf"\.{re.escape(engine['grad'])}\s*=(?!=)")
        text = text_of(file).splitlines()[first - 1 : last]
        exact = [i for i, line in enumerate(text) if assigned.search(line)] if "= instead of +=" in mistake.name else []
        found = file, first + (exact[0] if exact else 0)
    file, line = found
    return f"{file}, line {line}" if file.startswith("code cell") else f"line {line}"
