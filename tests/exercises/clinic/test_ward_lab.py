"""The ward and the clinic's pictures: they show readings, count minutes, and do not give a cause away."""

import asyncio
import html
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import exercises
from exercises.clinic import instruments, record
from exercises.clinic.code_view import CodeView
from exercises.clinic.instruments import INSTRUMENTS, MINUTES
from exercises.clinic.patients import LESSON, Patient, causes, faults, patient, sentence, speaks_against
from exercises.clinic.pictures import DRAWINGS, HEIGHT, WIDTH, picture
from exercises.clinic.program import TrainingProgram
from exercises.clinic.readings import finished, quietly
from exercises.clinic.ward import NOBODY, ward
from exercises.clinic.ward_page import describe_reading
from exercises.storage import progress
from tests.lab_graphs import assert_plays
from tests.labs import ask, looped, message, message_after, run, wait_until

PLACES = ("x", "y", "cx", "cy", "width", "height", "r")  # attributes that give the place of a part


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))


@pytest.fixture(scope="module")
def read():
    """Return all readings of a patient of the lesson, by its number, or of a fault, by its key; each is made once."""
    known = {}

    def all_readings(which):
        if which not in known:
            known[which] = Patient(faults()[which]) if which in faults() else patient(which)
            known[which].words()
        return known[which]

    return all_readings


def bed(number, hypothesis="The rate is too large."):
    lab = ward(number)
    ask(lab, hypothesis=hypothesis)
    return lab


def stage_of(lab):
    return lab.recording.render(lab.recording.frames[-1].updates)


def not_crossed_out(lab):
    return next(cause for cause in causes() if cause not in lab.patient.ruled_out and cause != lab.patient.fault.cause)


def shown_causes(lab):
    """Return {cause: (state, reason)} of the list in the stage."""
    item = r'<div data-state="(\w+)" data-press.*?<span>(.*?)</span><small title="(.*?)">(.*?)</small>'
    items = re.findall(item, stage_of(lab))
    return {html.unescape(cause): (state, *map(html.unescape, whys)) for state, cause, *whys in items}


# Pictures


@pytest.mark.parametrize("which", ["healthy", *faults()])
def test_pictures_fit_their_frame_and_contain_all_words(read, which):
    assert DRAWINGS.keys() == INSTRUMENTS.keys()
    for reading in read(which).readings.values():
        drawn = picture(reading)
        root = ElementTree.fromstring(drawn)
        texts = ["".join(each.itertext()) for each in root.iter() if each.tag.endswith("text")]
        assert [(dial, word) for dial, word in reading.dials if f"{dial.title}: {word}" not in texts] == []
        assert reading.instrument.title in texts and reading.says in root.get("aria-label")
        for each in root.iter():
            places = [float(each.get(name)) for name in PLACES if each.get(name)]
            assert [at for at in places if not (math.isfinite(at) and -1 <= at <= max(WIDTH, HEIGHT))] == [], reading
            assert not re.search("nan|inf", each.get("d") or ""), (reading, each.attrib)
        unusual = [dial for dial, word in reading.dials if word not in dial.healthy]
        assert drawn.count('class="dial unusual"') == len(unusual) == drawn.count("(unusual)")
        assert which != "healthy" or not unusual


@pytest.mark.long
def test_pictures_show_the_readings_numbers(read):
    healthy, old, curve = read("healthy").readings, read(1).readings, read("healthy").readings["curve"]
    graph, units = read(4).readings["graph"], read(7).readings["units"]
    assert picture(graph).count('class="cell on"') == graph.numbers["reached"] < graph.numbers["of"]
    assert picture(old["moved"]).count('class="zero"') == 2 and 'class="zero"' not in picture(healthy["moved"])
    assert picture(units).count('class="cross"') == sum(share == 0 for share in units.numbers["open"])
    answers = read("healthy").readings["answers"]
    assert f">{100 * answers.numbers['train']:.0f} %<" in picture(answers)
    assert picture(curve).count("L") >= len(curve.numbers["losses"]) - 1
    assert "no number" in picture(read(3).readings["curve"])


def test_readings_and_patients_display_as_picture_and_text(read):
    ill = read(4)
    reading = ill.read("gradients")
    shown = reading._repr_mimebundle_()
    assert shown["text/plain"] == repr(reading) and html.escape(reading.says) in shown["text/html"]
    shown = ill._repr_mimebundle_()
    assert shown["text/plain"] == repr(ill) and html.escape(ill.complaint) in shown["text/html"]
    both = exercises.patient(4).read("curve", "gradients")._repr_mimebundle_()
    assert both["text/plain"].splitlines() == [repr(ill.read("curve")), repr(reading)]
    assert html.escape(reading.says) in both["text/html"]
    assert [cause for cause in causes() if cause in shown["text/html"] + shown["text/plain"]] == []
    assert repr(patient(2)) and not patient(2).readings, "a name alone costs no training"


def test_numpy_error_state_is_restored_between_pieces_of_work():
    def divide():
        yield np.float64(1) / np.float64(0)
        return np.float64(1) / np.float64(0)

    with np.errstate(divide="raise"):
        work = quietly(divide())
        next(work)
        assert np.geterr()["divide"] == "raise"
        assert finished(work) == math.inf


# Saved state


def test_ward_actions_are_saved_in_the_progress_file():
    """It is written only for what is new. The next patient is the first without a diagnosis."""
    assert ward().number == 2
    for instrument in ("kept", "graph", "kept"):
        record.taken(2, instrument)
    before = progress.path().stat().st_mtime_ns
    record.taken(2, "kept")
    assert progress.path().stat().st_mtime_ns == before
    for key, right in (("no_zero", False), ("stale", False), ("no_zero", False), ("softmax_twice", True)):
        record.note_cause(2, key, right)
    known = {"taken": ["kept", "graph"], "named": ["no_zero", "stale"], "diagnosed": True, "repaired": False}
    assert record.read_entry(2) == known == progress.noted("clinic")["2"]
    assert record.diagnosed(2) and not record.repaired(2) and record.repaired(2, True) and record.repaired(2)
    assert not record.diagnosed(3) and "3" not in progress.noted("clinic") and ward().number == 3


@pytest.mark.parametrize("foreign", [None, 7, "x", [], {"taken": 3, "named": [1, "stale"], "diagnosed": "yes"}])
def test_invalid_progress_entry_is_ignored(foreign):
    progress.note("clinic", "2", foreign)
    assert record.read_entry(2)["taken"] == [] and not record.diagnosed(2)
    record.taken(2, "kept")
    assert record.read_entry(2)["taken"] == ["kept"]


# The code


def test_code_of_a_patient_is_shown_after_the_diagnosis():
    said = exercises.program(3)
    assert isinstance(said, str) and "ward(3)" in said and faults()["missing_value"].cause not in said
    record.note_cause(3, "missing_value", True)
    shown = exercises.program(3)
    assert isinstance(shown, CodeView) and "x[211, 6] = 999" in repr(shown) and shown.said
    assert [name for name, _, wrong in shown.parts if wrong] == ["data"]
    assert "BATCH = 20" in repr(shown)


def test_code_is_open_for_known_and_diagnosed_patients():
    assert [wrong for _, _, wrong in exercises.program("healthy").parts if wrong] == []
    assert faults()["old_parameters"].code.strip() in repr(exercises.program(1))
    progress.record_pass("diagnoses")
    assert [number for number in range(2, len(LESSON) + 1) if not isinstance(exercises.program(number), CodeView)] == []


@pytest.mark.parametrize("number", ["healthy", 3, 4])
def test_code_shown_is_the_code_that_runs(read, number):
    progress.record_pass("diagnoses")
    shown = TrainingProgram("digits", [repr(exercises.program(number))], seed=patient(number).seed)
    right = read(number).readings["curve"].numbers["losses"]
    assert instruments.read(shown, "curve").numbers["losses"] == pytest.approx(right, rel=1e-12, nan_ok=True)


# The ward


def test_hypothesis_is_required_before_the_first_instrument():
    lab, first = ward(2), "old gradients are in the new ones"
    assert message_after(lab, "kept").startswith("First write what you think")
    assert message_after(lab, "kept", hypothesis="   ").startswith("First write")
    assert lab.minutes == MINUTES and not lab.readings and record.read_entry(2)["taken"] == []
    ask(lab, hypothesis=first)
    run(lab, "kept")
    assert lab.hypothesis == first and lab.minutes == MINUTES - 1
    assert first in stage_of(lab) and record.read_entry(2)["taken"] == ["kept"]
    ask(lab, hypothesis="no, I always knew it")
    assert lab.hypothesis == first, "what was thought before stands"


def test_instrument_panel_shows_its_reading(read):
    lab = bed(8)
    run(lab, "graph")
    reading = lab.readings["graph"]
    assert reading.words == read(8).readings["graph"].words
    assert picture(reading) in stage_of(lab) and html.escape(reading.says) in stage_of(lab)
    assert f"speaks against {len(lab.patient.ruled_out)} of {len(causes())} causes" in stage_of(lab)
    assert reading.says in lab.render_text() and lab.recording.frames[-1].at == "3 of 4 minutes left"
    assert next(control for control in lab.controls if control.name == "graph").disabled
    assert message_after(lab, "graph") == "Graph of one loss has been read: it reads the same each time."
    assert_plays(lab)
    lab.use("kept", "small_step", "gradients")
    assert [c.name for c in lab.controls if c.name in INSTRUMENTS and not c.disabled] == [] and lab.minutes == 0
    assert message_after(lab, "moved").startswith("No minutes are left.")
    assert lab.readings.keys() == {"kept", "graph", "small_step", "gradients"}
    assert_plays(lab)
    lab.work = lab.naming(not_crossed_out(lab))
    next(lab.work)
    lab.renew()
    assert stage_of(lab).count("<figure") == MINUTES, "while an answer is looked for the panels stay"
    assert lab.said.startswith("Is there a reading")
    assert_plays(lab)


@pytest.mark.parametrize("number", range(1, len(LESSON) + 1))
def test_readings_rule_out_causes_but_never_the_true_one(read, number):
    whole = read(number)
    left = set(causes())
    for count in range(1, len(INSTRUMENTS) + 1):
        readings = list(whole.readings.values())[:count]
        crossed = {cause: found for cause in causes() if (found := speaks_against(readings, cause))}
        assert whole.fault.cause not in crossed
        for cause, (reading, dial) in crossed.items():
            these = [fault for fault in faults().values() if fault.cause == cause]
            assert these and [fault for fault in these if reading.words[dial] in fault.may(dial)] == []
        assert causes().keys() - crossed.keys() <= left, "what is crossed out stays so"
        left = causes().keys() - crossed.keys()
    assert left == {whole.fault.cause}


def test_learner_crosses_out_a_cause_only_with_evidence():
    lab, places = bed(7), {cause: f"cause.{i}" for i, cause in enumerate(causes())}
    lab.use("kept")
    assert set(shown_causes(lab).values()) == {("open", "", "")}, "a reading alone crosses nothing out"
    cause, found = next(iter(lab.patient.ruled_out.items()))
    assert (
        not message_after(lab, places[cause])
        and lab.crossed == {cause: found}
        and lab.said.startswith("Crossed out, by ")
    )
    left = [each for each in causes() if each != cause]
    shown = dict.fromkeys(causes(), ("open", "", "")) | {
        cause: ("out", describe_reading(*found), found[0].instrument.title)
    }
    assert shown_causes(lab) == shown and lab.left_over == left
    assert f"{describe_reading(*found)}, and so not: {cause}." in lab.render_text()
    assert lab.render_text().splitlines()[-2] == f"Left: {'; '.join(left)}."
    assert_plays(lab)
    message_after(lab, places[cause])
    assert lab.crossed == {} and cause in lab.left_over
    other = not_crossed_out(lab)
    said = str(lab.cross_out(cause, other))
    assert said.startswith(f"Nothing you have read speaks against “{other}”.") and list(lab.crossed) == [cause]
    with pytest.raises(ValueError, match="in the list; got"):
        lab.cross_out("bad luck")


def test_hypothesis_is_kept_and_shown():
    thought, lab = "the rows come in order", ward(2)
    ask(lab, hypothesis=thought)
    message_after(lab, "cause.3")
    assert next(control for control in lab.controls if control.name == "hypothesis").value == thought
    assert f"You think: {thought}" in lab.render_text() and thought in stage_of(lab)
    run(lab, "name")
    assert lab.hypothesis == thought, "a cause that is named ends it as an instrument does"


def test_wrong_cause_is_answered_by_a_reading_at_no_cost():
    lab = bed(7)
    lab.use("curve")
    wrong, before = not_crossed_out(lab), set(lab.readings)
    assert not message_after(lab, f"cause.{list(causes()).index(wrong)}"), (
        "a press on the list chooses a cause, and names none"
    )
    assert lab.values["cause"] == wrong and lab.patch["controls"]["cause"] == {"value": wrong} and not lab.wrong
    run(lab, "name")
    reading, dial = lab.wrong[wrong]
    assert reading.instrument.name not in before and set(lab.readings) == before, "it is not paid for, and not shown"
    said = html.escape(sentence(causes()[wrong], (reading, dial)))
    assert said in stage_of(lab) and lab.minutes == MINUTES - 1 and not lab.solved
    assert shown_causes(lab)[wrong] == ("out", "", "named")
    assert record.read_entry(7)["named"] == [causes()[wrong]] and not record.diagnosed(7)
    assert isinstance(exercises.program(7), str) and lab.patient.fault.says not in lab.html()
    assert_plays(lab)
    known, found = next(iter(lab.patient.ruled_out.items()))
    run(lab, "name", cause=known)
    assert lab.wrong[known] == found, "what is crossed out already is answered by that reading"


@pytest.mark.parametrize("number", range(2, len(LESSON) + 1))
def test_right_cause_reveals_the_code(number):
    lab = bed(number)
    fault = lab.patient.fault
    before = lab.html() + lab.render_text()
    assert fault.says not in html.unescape(before) and fault.code.strip() not in before
    assert not message_after(lab, "name", cause=fault.cause)
    assert lab.solved and record.diagnosed(number) and shown_causes(lab)[fault.cause] == ("right", "", "this is it")
    assert html.escape(fault.says) in stage_of(lab) and fault.code.strip() in lab.render_text()
    assert isinstance(exercises.program(number), CodeView)
    assert message_after(lab, "name").startswith("You have named it already")
    assert "You have named its cause before." in ward(number).said
    assert_plays(lab)


@looped
async def test_stop_ends_an_instrument_without_charge():
    lab = bed(8)
    ask(lab, "by_heart")
    assert lab.patch["controls"]["over"] == {"label": "Stop"}
    await wait_until(lambda: lab.pieces >= 2)
    assert message_after(lab, "kept").startswith("One thing at a time")
    assert message_after(lab, "name", cause=next(iter(causes()))).startswith("One thing at a time")
    assert float(lab.recording.render.updates(lab)["busy"]["width"]) > 0
    assert_plays(lab)
    ask(lab, "over")
    assert not lab.runner.running and lab.patch["controls"]["over"] == {"label": "Start over"}
    await asyncio.sleep(0.05)
    assert lab.minutes == MINUTES and not lab.readings and lab.said.startswith("Stopped.")
    assert record.read_entry(2)["taken"] == [] and lab.hypothesis, "the hypothesis was there before"
    ask(lab, "by_heart")
    await wait_until(lambda: not lab.runner.running)
    assert lab.readings["by_heart"].words["memory"] == "stuck"


@looped
async def test_switching_patients_cancels_work_and_resets_the_lab():
    lab = bed(2)
    lab.use("kept")
    ask(lab, "by_heart")
    ask(lab, patient="3")
    await asyncio.sleep(0.05)
    assert not lab.runner.running and lab.number == 3 and not lab.readings and not lab.hypothesis
    assert lab.values == {"patient": "3", "hypothesis": "", "cause": NOBODY}
    assert lab.patch["controls"]["hypothesis"] == {"value": ""} and lab.minutes == MINUTES
    assert_plays(lab)
    ask(lab, hypothesis="a row is nonsense")
    lab.use("rows")
    ask(lab, "over")
    assert not lab.readings and lab.values["patient"] == "3"


def test_instrument_exception_becomes_a_message_without_charge(monkeypatch):
    lab = bed(2)

    def broken(name):
        yield
        raise ValueError("shapes do not fit")

    monkeypatch.setattr(lab.patient, "reading", broken)
    run(lab, "graph")
    assert message(lab) == "ValueError: shapes do not fit"
    assert lab.minutes == MINUTES and not lab.work and not lab.runner.running


@pytest.mark.long
def test_healthy_program_has_no_budget_and_no_cause():
    lab = ward("healthy")
    lab.use(*INSTRUMENTS)
    assert lab.readings.keys() == INSTRUMENTS.keys() and progress.noted("clinic") == {}
    assert message_after(lab, "name", cause=next(iter(causes()))) == "This one is healthy: there is no cause to name."
    assert [reading for reading in lab.readings.values() if picture(reading) not in stage_of(lab)] == []
    assert_plays(lab)


def test_invalid_requests_get_messages():
    lab = bed(2)
    assert message_after(lab, "name") == "Choose a cause first: in the field beside this button, or in the list."
    assert message_after(lab, cause="bad luck") == f"cause is one of the {len(causes())} in the list; got 'bad luck'."
    assert message_after(lab, patient="99").startswith("patient is one of 1, 2, ")
    with pytest.raises(ValueError, match="the instruments are curve, answers, gradients, "):
        lab.use("thermometer")
    with pytest.raises(ValueError, match="in the list; got"):
        lab.diagnose("bad luck")
    with pytest.raises(TypeError, match="a string"):
        lab.suppose(8)
    assert not lab.readings


def test_ward_works_without_buttons_and_escapes_text():
    lab = ward(2)
    assert lab.recording.frames[-1].at in str(lab.suppose("The rows come in order.")).lower()
    assert "Units: " in repr(lab.use("units")) and "You think: The rows come in order." in lab.render_text()
    assert lab.suppose("I knew it.") == lab.render_text() and lab.hypothesis == "The rows come in order."
    root = ElementTree.fromstring(drawn := lab.recording.picture())
    assert [reading for reading in lab.readings.values() if html.escape(reading.instrument.title) not in drawn] == []
    assert (int(root.get("width")), int(root.get("height"))) == (WIDTH, HEIGHT)
    said = lab.diagnose("the rows come sorted by class")
    assert "Right: the rows come sorted by class." in said and "def batches" in said
    lab = bed(2, f"<script>alert(1)</script> & {'x' * 900}")
    assert len(lab.use("kept").split("You think: ")[1].splitlines()[0]) == 200
    assert "<script>alert" not in stage_of(lab) and "&lt;script&gt;" in stage_of(lab)
