"""`program`: show the code of a patient, once its fault is known."""

import html

from exercises.clinic import record
from exercises.clinic.patients import LESSON, of_lesson
from exercises.clinic.program import PARTS, healthy_parts
from exercises.engine_file.line_by_line import code, indent
from exercises.storage import progress
from exercises.storage.progress import Note

WORKED = 1  # the lesson works through this patient, so its code is no secret
EXERCISE = "diagnoses"  # who has passed it knows them all


class CodeView:
    """The parts of a program as code. parts: [(name, text, whether the fault has replaced it)]."""

    def __init__(self, name, parts, said=""):
        self.name, self.parts, self.said = name, parts, said

    def html(self):
        """Return the parts one below the other; the faulty one has a heading and a line along its left edge."""
        shown = "".join(
            part_html(source, fault and f"the part that is wrong: {of}") for of, source, fault in self.parts
        )
        said = f"<p style='margin:.2em 0 .6em'>{html.escape(self.said)}</p>" if self.said else ""
        return f'<div style="line-height:1.35;max-width:84em"><b>{html.escape(self.name)}</b>{said}{shown}</div>'

    def __repr__(self):
        texts = (f"# the part that is wrong: {of}\n{source}" if fault else source for of, source, fault in self.parts)
        return "\n\n".join([f"# {self.name}", *texts])

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.html(), "text/plain": repr(self)}


def part_html(source, marked=""):
    """Return a part's code as HTML with coloured words. marked: a heading; it adds a line along the left edge."""
    lines = "".join(f'<div style="min-height:1.2em">{code(each, indent(each))}</div>' for each in source.splitlines())
    edge = "border-left:4px solid var(--bp-fault,#b3001b)" if marked else "border-left:4px solid transparent"
    above = f'<div style="font-weight:700">{html.escape(marked)}</div>' if marked else ""
    return f'<div class="bp" style="{edge};padding:.1em 0 .1em .7em;margin:0 0 .7em">{above}{lines}</div>'


def code_view(patient):
    fault, parts = patient.fault, healthy_parts(patient.program.task)
    parts["settings"] = "\n".join([parts["settings"], *(f"{name} = {x!r}" for name, x in patient.settings.items())])
    shown = [(name, parts[name], False) for name in ("settings", *PARTS)]
    if fault:
        shown[shown.index((fault.part, parts[fault.part], False))] = (fault.part, fault.code, True)
    return CodeView(patient.name or "A program", shown, fault.says if fault else "")


def fault_html(patient):
    return part_html(patient.fault.code, f"the part that is wrong: {patient.fault.part}")


def program(number):
    """Show the code of a patient of the ward, once its cause is named; before, a sentence. "healthy" and 1 are open.

    Raise ValueError or TypeError if there is no such patient.
    """
    found = of_lesson(number)
    if number in ("healthy", WORKED) or record.diagnosed(number) or progress.passed(EXERCISE):
        return code_view(found)
    return Note(
        f"The code of patient {number} is shown once its cause is named, in exercises.ward({number}) or in the "
        f"exercise {EXERCISE}. Patients 1 and “healthy” are open; there are {len(LESSON)} patients."
    )
