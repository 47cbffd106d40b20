"""The HTML of the ward: the patient's card, the readings, the notes, the list of causes."""

import html

from exercises.clinic.code_view import fault_html
from exercises.clinic.data_instruments import LOOKED_AT
from exercises.clinic.instruments import INSTRUMENTS
from exercises.clinic.patients import causes, sentence, speaks_against
from exercises.clinic.pictures import HEIGHT, UNUSUAL, WIDTH, heads, picture
from exercises.clinic.training_instruments import BY_HEART
from figures.graph.stage import plural
from figures.page.picture import labelled
from figures.page.svg import label, svg


def describe_reading(reading, dial):
    """Describe a reading that speaks against a cause, in short."""
    return f"{reading.instrument.title}, {reading.shown(reading.words[dial])}"


def answer(cause, found):
    return sentence(causes()[cause], found) if found else "No instrument speaks against it, and yet it is not that."


# The stage: the complaint; panels; notes; the causes; and, once it is named, the code

WORKS = {"by_heart": BY_HEART, "rows": LOOKED_AT, "kept": 3}  # pieces of work; others take about a training
TRAINS = ("curve", "answers", "units", "sheet")


def draw(pen, lab):
    """Draw everything: readings and notes, the newest open and on top; next to them the causes."""
    busy = [at_work(pen, lab)] if lab.doing else []
    if lab.number is None:
        cards = [*busy, *(card(picture(each), each.says) for each in reversed(lab.readings.values()))]
        return f'<div class="bp-walk bp-ward"><div class="bp-trays">{"".join(cards)}</div></div>'
    shown = found(lab) if lab.solved else notes(lab)
    read = "".join([*busy, *readings(lab)])
    beside = shown + read if lab.solved else read + shown
    bed = f'<div class="bp-bed"><div>{beside}</div>{draw_causes(lab)}</div>'
    return f'<div class="bp-walk bp-ward">{owner(lab)}{bed}</div>'


def readings(lab):
    """Yield the readings, the newest first and open, unless something else is on top; a click opens the others."""
    newest = next(reversed(lab.readings), "")
    for name, reading in reversed(lab.readings.items()):
        words = "; ".join(f"{dial.title}: {word}" for dial, word in reading.dials)
        is_open = ' open=""' if name == newest and not lab.doing and not lab.solved else ""
        yield (
            f'<details class="bp-card bp-read"{is_open}><summary data-lm-suppress-shortcuts="true"><b>'
            f"{html.escape(reading.instrument.title)}</b> {count_against(reading)} "
            f"<span>{html.escape(words)}</span></summary>{card(picture(reading), reading.says)}</details>"
        )


def count_against(reading):
    return (
        f"speaks against {sum(bool(speaks_against([reading], cause)) for cause in causes())} of {len(causes())} causes"
    )


def owner(lab):
    """Draw the owner's complaint, and the minutes as lights."""
    lights = "".join(f'<i data-state="{"on" if i < lab.minutes else "off"}"></i>' for i in range(lab.budget))
    said = f"{plural(lab.minutes, 'minute')} left"
    return (
        f'<div class="bp-owner"><q>{html.escape(lab.patient.complaint)}</q>'
        f'<span class="bp-lights" role="img" aria-label="{said}">{lights}</span></div>'
    )


def card(drawn, says=""):
    return f'<figure class="bp-card">{drawn}<figcaption>{html.escape(says)}</figcaption></figure>'


def at_work(pen, lab):
    """Draw an instrument at work, and its progress."""
    program = lab.patient.program
    whole = WORKS.get(lab.doing) or (program.EPOCHS * lab.rows / program.BATCH if lab.doing in TRAINS else 12)
    instrument, done = INSTRUMENTS[lab.doing], min(1.0, lab.pieces / whole)
    left, wide, y = 40, WIDTH - 80, HEIGHT / 2
    drawn = (
        *heads(instrument),
        f'<rect class="cell" x="{left}" y="{y}" width="{wide}" height="12" rx="3"/>',
        pen("rect", "busy", "cell on", at={"x": left, "y": y, "height": 12, "rx": 3}, width=wide * done),
        label("at work", WIDTH / 2, y + 34, "caption"),
    )
    return card(labelled(svg(WIDTH, HEIGHT, *drawn), f"{instrument.title}, at work"))


def notes(lab):
    thought = html.escape(lab.thought) or "<i>nothing yet</i>"
    named = "".join(
        f"<p><b>Not “{html.escape(cause)}”.</b> {html.escape(answer(cause, found))}</p>"
        for cause, found in reversed(lab.wrong.items())
    )
    return (
        '<div class="bp-card bp-notes" tabindex="0" role="group" aria-label="Your notes"><b class="bp-label">Your notes'
        f"</b><p>What you thought: {thought}</p>{named}</div>"
    )


def found(lab):
    """Draw what is wrong, with the code, and what the learner thought, once the cause is named."""
    fault = lab.patient.fault
    thought = f" You thought: {html.escape(lab.thought)}" if lab.thought else ""
    return (
        f'<section class="bp-card bp-found" aria-label="What is wrong"><p><b>Right: {html.escape(fault.cause)}.</b>'
        f"{thought}</p><p>{html.escape(fault.says)}</p>{fault_html(lab.patient)}</section>"
    )


KEY = (  # of the marks next to words
    '<span class="bp-key"><svg width="12" height="12" aria-hidden="true"><circle class="dial" cx="6" cy="6" r="3.5"/>'
    '</svg> reads as on a healthy program <svg width="12" height="12" aria-hidden="true"><path class="dial unusual" '
    f'transform="translate(6 6)" d="{UNUSUAL}"/></svg> does not</span>'
)


def draw_causes(lab):
    """Draw the causes, those that the learner crossed out with the reading that speaks against each."""
    known, rows = lab.crossed, []
    for i, cause in enumerate(causes()):
        state, mark, why, more = "open", "○", "", ""
        if lab.solved and cause == lab.patient.fault.cause:
            state, mark, why = "right", "✓", "this is it"
        elif crossed := known.get(cause):
            state, mark, why, more = "out", "✗", crossed[0].instrument.title, describe_reading(*crossed)
        elif cause in lab.wrong:
            state, mark, why = "out", "✗", "named"
        rows.append(
            f'<div data-state="{state}" data-press="cause.{i}" role="button" tabindex="{0 if i == 0 else -1}" '
            f'data-lm-suppress-shortcuts="true"><b aria-hidden="true">{mark}</b><span>{html.escape(cause)}</span>'
            f'<small title="{html.escape(more)}">{html.escape(why)}</small></div>'
        )
    left = sum('data-state="open"' in each for each in rows)
    said = "Causes" if lab.solved else f"Causes: {left} of {len(rows)} left"
    return (
        f'<div class="bp-causes"><p class="bp-label"><span>{said}</span>{KEY}</p>'
        f'<div class="bp-list" data-columns="1" role="group" aria-label="Causes">{"".join(rows)}</div></div>'
    )
