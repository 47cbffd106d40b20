"""What a lesson shows of the learner's engine when it loads it: a sentence, and the code, folded, theirs marked."""

import html

from exercises.engine_file.own_file import used
from exercises.engine_file.parts import PARTS
from exercises.shelf.library import marked
from exercises.verdicts.seen import EDGES, PASSED


def card(engine):
    """The sentences on an engine, and the parts of the lessons before this one, each behind one click, as HTML."""
    first, *notes = engine.sentences()
    said = "".join(f'<p style="margin:.4em 0">{marked(note)}</p>' for note in notes)
    code = "".join(map(block, shown(engine)))
    folded = ""
    if code:
        folded = f'<details style="margin:.4em 0 0"><summary style="cursor:pointer">Its code</summary>{code}</details>'
    return (
        f'<div style="border-left:4px solid {EDGES[PASSED]};padding:.3em 0 .3em 1em;max-width:60em">'
        f"{marked(first)}{said}{folded}</div>"
    )


def shown(engine):
    """(Part, text, whether it is the learner's) of what came before the lesson.

    What this lesson or a later one asks for is left out, also where an exercise asks for an earlier part anew.
    """
    lesson = engine._lesson or "99"
    asked = {name for part in PARTS if part.lesson >= lesson for name in (part.name, *part.replaces)}
    for part in used(engine._own):
        region = engine._own.get(part.name)
        if part.lesson < lesson and (region or part.name not in asked):
            yield part, region.text if region else part.text, region is not None


def block(each):
    """A part as a block of code, under a line that says whose it is."""
    part, text, mine = each
    whose = "yours" if mine else "the course's"
    edge = f"4px solid {EDGES[PASSED]}" if mine else "4px solid transparent"
    return (
        f'<div style="border-left:{edge};padding-left:.8em;margin:1em 0">'
        f'<div style="opacity:.75;font-size:90%">{part.name} · lesson {part.lesson} · '
        f"{'<b>yours</b>' if mine else whose}</div>"
        f'<pre style="margin:.1em 0;padding:0;background:none">{html.escape(text.strip())}</pre></div>'
    )
