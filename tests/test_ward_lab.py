"""The ward and the clinic's pictures: they show what was read, count minutes, and do not give a cause away."""

import asyncio
import html
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import exercises
from exercises.clinic import record
from exercises.clinic.instruments import ALL, INSTRUMENTS
from exercises.clinic.instruments import read as read_program
from exercises.clinic.listing import Listing
from exercises.clinic.patients import LESSON, Patient, causes, faults, patient, sentence
from exercises.clinic.pictures import DRAWINGS, HEIGHT, WIDTH, picture
from exercises.clinic.program import Program
from exercises.clinic.readings import finished, quietly
from exercises.clinic.ward import MINUTES, NOBODY, TAKEN, speaks, ward
from exercises.clinic.ward_page import by
from exercises.shelf import progress
from tests.walks import assert_plays

FAR = ("exploding", "all_zero", "leaf_loss")  # whose numbers go far


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """Progress of its own for each test."""
    monkeypatch.setenv("BACKPROP_DATA_DIR", str(tmp_path))


@pytest.fixture(scope="module")
def read():
    """All readings of a patient of the lesson, by its number, or of a fault, by its key; each is made once."""
    known = {}

    def of(which):
        if which not in known:
            known[which] = Patient(faults()[which]) if which in faults() else patient(which)
            known[which].words()
        return known[which]

    return of


def bed(number, hypothesis="The rate is too large."):
    """The ward at a patient's, with a hypothesis written."""
    lab = ward(number)
    ask(lab, hypothesis=hypothesis)
    return lab


def ask(lab, *presses, **changed):
    """What the browser sends after a change of controls, or presses; then the message that comes back."""
    lab.request = {"values": {**lab.values, **changed}, "presses": list(presses), "number": lab.reply + 1}
    assert lab.reply == lab.request["number"]
    return lab.patch.get("message", "")


def run(lab, *presses, until=None, **changed):
    """Press, and let the event loop go on until the work is done, or `until` is true of the lab."""

    async def go():
        message = ask(lab, *presses, **changed)
        async with asyncio.timeout(60):
            while lab.runner.running and not (until and until(lab)):
                await asyncio.sleep(0.005)
        return message

    return asyncio.run(go())


def stage_of(lab):
    """The lab's stage as it stands."""
    frame = lab.recording.frames[-1]
    return lab.recording.render(frame.marks)


def shown_causes(lab):
    """{cause: (state, reason)} of the list in the stage."""
    items = re.findall(
        r'<div data-state="(\w+)" data-press.*?<span>(.*?)</span><small title="(.*?)">(.*?)</small>', stage_of(lab)
    )
    return {html.unescape(cause): (state, *map(html.unescape, whys)) for state, cause, *whys in items}


# Pictures


def test_each_instrument_has_a_drawing():
    assert DRAWINGS.keys() == INSTRUMENTS.keys()


@pytest.mark.parametrize("which", ["healthy", *range(1, len(LESSON) + 1), *FAR])
def test_each_picture_stands_in_its_frame_and_has_all_words(read, which):
    for reading in read(which).readings.values():
        root = ElementTree.fromstring(picture(reading))
        texts = ["".join(each.itertext()) for each in root.iter() if each.tag.endswith("text")]
        for dial in reading.instrument.dials:
            assert f"{dial.title}: {reading.words[dial.name]}" in texts
        assert reading.instrument.title in texts and reading.says in root.get("aria-label")
        for each in root.iter():
            places = [
                (name, float(each.get(name)))
                for name in ("x", "y", "cx", "cy", "width", "height", "r")
                if each.get(name)
            ]
            assert all(math.isfinite(at) and -1 <= at <= max(WIDTH, HEIGHT) for _, at in places), (
                which,
                reading,
                places,
            )
            assert "nan" not in (each.get("d") or "") and "inf" not in (each.get("d") or ""), (which, reading)


def test_a_word_is_marked_where_no_healthy_program_gives_it(read):
    for which in ("healthy", *range(1, len(LESSON) + 1)):
        for reading in read(which).readings.values():
            unusual = [dial for dial in reading.instrument.dials if reading.words[dial.name] not in dial.healthy]
            drawn = picture(reading)
            assert drawn.count('class="dial unusual"') == len(unusual) == drawn.count("(unusual)")
    assert not any("unusual" in picture(reading) for reading in read("healthy").readings.values())


def test_pictures_show_the_numbers(read):
    healthy, old, detached = read("healthy").readings, read(1).readings, read(4).readings
    graph = detached["graph"]
    assert picture(graph).count('class="cell on"') == graph.numbers["reached"] < graph.numbers["of"]
    assert picture(old["moved"]).count('class="zero"') == 2 and 'class="zero"' not in picture(healthy["moved"])
    assert picture(read(6).readings["units"]).count('class="cross"') == sum(
        share == 0 for share in read(6).readings["units"].numbers["open"]
    )
    curve = healthy["curve"].numbers
    assert f">{100 * curve['train']:.0f} %<" in picture(healthy["curve"])
    assert picture(healthy["curve"]).count("L") >= len(curve["losses"]) - 1
    assert "no number" in picture(read(3).readings["curve"])


def test_a_notebook_shows_readings_and_patients_as_pictures_and_as_sentences(read):
    reading = read(4).read("gradients")
    shown = reading._repr_mimebundle_()
    assert shown["text/plain"] == repr(reading) and html.escape(reading.says) in shown["text/html"]
    shown = read(4)._repr_mimebundle_()
    assert shown["text/plain"].splitlines() == [repr(read(4)), repr(read(4).read("curve"))]
    assert html.escape(read(4).fault.complaint) in shown["text/html"]
    assert not any(cause in shown["text/html"] + shown["text/plain"] for cause in causes()), "the cause is not told"
    assert repr(patient(2)) and not patient(2).readings, "a name alone costs no training"


def test_work_between_two_pieces_has_numpys_warnings_as_they_were():
    def divide():
        yield np.float64(1) / np.float64(0)
        return np.float64(1) / np.float64(0)

    with np.errstate(divide="raise"):
        work = quietly(divide())
        next(work)
        assert np.geterr()["divide"] == "raise"
        assert finished(work) == math.inf


# What is kept


def test_what_was_done_is_kept_in_the_progress_file():
    for instrument in ("kept", "graph", "kept"):
        record.taken(2, instrument)
    for key, right in (("no_zero", False), ("stale", False), ("no_zero", False), ("softmax_twice", True)):
        record.named(2, key, right)
    known = {"taken": ["kept", "graph"], "named": ["no_zero", "stale"], "diagnosed": True, "repaired": False}
    assert record.of(2) == known == progress.noted("clinic")["2"]
    assert record.diagnosed(2) and not record.repaired(2) and record.repaired(2, True) and record.repaired(2)
    assert not record.diagnosed(3) and "3" not in progress.noted("clinic")


@pytest.mark.parametrize("foreign", [None, 7, "x", [], {"taken": 3, "named": [1, "stale"], "diagnosed": "yes"}])
def test_a_foreign_entry_of_the_file_is_as_good_as_none(foreign):
    progress.note("clinic", "2", foreign)
    assert record.of(2)["taken"] == [] and not record.diagnosed(2)
    record.taken(2, "kept")
    assert record.of(2)["taken"] == ["kept"]


def test_the_file_is_written_only_for_what_is_new():
    record.taken(2, "kept")
    before = progress.path().stat().st_mtime_ns
    record.taken(2, "kept")
    assert progress.path().stat().st_mtime_ns == before


# The code


def test_the_code_of_a_patient_is_shown_once_it_is_diagnosed():
    said = exercises.program(3)
    assert isinstance(said, str) and "ward(3)" in said and faults()["missing_value"].cause not in said
    record.named(3, "missing_value", True)
    shown = exercises.program(3)
    assert isinstance(shown, Listing) and "x[211, 6] = 999" in repr(shown) and shown.said
    assert [name for name, _, wrong in shown.parts if wrong] == ["data"]
    assert "BATCH = 20" in repr(shown)


def test_the_code_stands_open_where_it_is_no_secret():
    assert not any(wrong for _, _, wrong in exercises.program("healthy").parts)
    assert faults()["old_parameters"].code.strip() in repr(exercises.program(1))
    progress.record_pass("diagnoses")
    assert all(isinstance(exercises.program(number), Listing) for number in range(2, len(LESSON) + 1))


@pytest.mark.parametrize("number", ["healthy", 3, 4])
def test_the_code_that_is_shown_is_the_code_that_runs(read, number):
    progress.record_pass("diagnoses")
    shown = Program("digits", [repr(exercises.program(number))], seed=patient(number).seed)
    assert read_program(shown, "curve").numbers["losses"] == pytest.approx(
        read(number).readings["curve"].numbers["losses"], rel=1e-12, nan_ok=True
    )


# The ward


def test_a_hypothesis_comes_before_the_first_instrument():
    lab = ward(2)
    assert ask(lab, "kept").startswith("First write what you think")
    assert ask(lab, "kept", hypothesis="   ").startswith("First write")
    assert lab.minutes == MINUTES and list(lab.readings) == ["curve"] and record.of(2)["taken"] == []
    ask(lab, hypothesis="old gradients are in the new ones")
    assert not run(lab, "kept")
    assert lab.hypothesis == "old gradients are in the new ones" and lab.minutes == MINUTES - 1
    assert lab.hypothesis in stage_of(lab) and record.of(2)["taken"] == ["kept"]
    ask(lab, hypothesis="no, I always knew it")
    assert lab.hypothesis == "old gradients are in the new ones", "what was thought before stands"


def test_an_instrument_reads_what_it_reads_and_its_panel_shows_it(read):
    lab = bed(5)
    run(lab, "graph")
    assert lab.readings["graph"].words == read(5).readings["graph"].words
    assert picture(lab.readings["graph"]) in stage_of(lab)
    assert html.escape(lab.readings["graph"].says) in stage_of(lab) and lab.readings["graph"].says in lab.text()
    assert lab.recording.frames[-1].at == "3 of 4 minutes left"
    assert next(each for each in lab.spec["controls"] if each["name"] == "graph")["disabled"]
    assert ask(lab, "graph") == "Graph of one loss has been read: it reads the same each time."
    assert_plays(lab)


def test_four_minutes_are_four_instruments():
    lab = bed(2)
    lab.use("kept", "graph", "small_step", "gradients")
    assert lab.minutes == 0 and all(
        each["disabled"] for each in lab.spec["controls"] if each["kind"] == "button" and each["name"] in INSTRUMENTS
    )
    assert ask(lab, "moved").startswith("No minute is left.")
    assert lab.readings.keys() == {"curve", "kept", "graph", "small_step", "gradients"}
    assert_plays(lab)


@pytest.mark.parametrize("number", range(1, len(LESSON) + 1))
def test_causes_are_crossed_out_by_a_reading_that_speaks_against_them_and_the_true_one_never_is(read, number):
    whole = read(number)
    left = set(causes())
    for instrument in ALL:
        readings = {name: whole.readings[name] for name in list(whole.readings)[: ALL.index(instrument) + 1]}
        crossed = {cause: found for cause in causes() if (found := speaks(readings, cause))}
        assert whole.fault.cause not in crossed
        for cause, (reading, dial) in crossed.items():
            these = [fault for fault in faults().values() if fault.cause == cause]
            assert these and all(reading.words[dial] not in fault.may(dial) for fault in these)
        assert causes().keys() - crossed.keys() <= left, "what is crossed out stays so"
        left = causes().keys() - crossed.keys()
    assert left == {whole.fault.cause}


def test_the_list_shows_which_reading_crossed_a_cause_out():
    lab = bed(6)
    lab.use("kept")
    crossed, shown = lab.crossed, shown_causes(lab)
    assert shown.keys() == causes().keys() and any(found[0].instrument.name == "kept" for found in crossed.values())
    for cause, found in shown.items():
        if cause in crossed:
            assert found == ("out", by(*crossed[cause]), crossed[cause][0].instrument.title)
        else:
            assert found == ("open", "", "")
    text = lab.text()
    assert f"{by(*next(iter(crossed.values())))}, and so not: " in text
    assert text.splitlines()[-2] == f"Left: {'; '.join(c for c in causes() if c not in crossed)}."


def test_a_wrong_cause_is_answered_by_a_reading_and_costs_no_minute():
    lab = bed(7)
    wrong = next(cause for cause in causes() if cause not in lab.crossed and cause != lab.patient.fault.cause)
    before = set(lab.readings)
    assert not run(lab, "name", cause=wrong)
    reading, dial = lab.wrong[wrong]
    assert reading.instrument.name not in before and set(lab.readings) == before, "it is not paid for, and not shown"
    said = html.escape(sentence(causes()[wrong], (reading, dial)))
    assert said in stage_of(lab) and lab.minutes == MINUTES and not lab.solved
    assert shown_causes(lab)[wrong] == ("out", "", "named")
    assert record.of(7)["named"] == [causes()[wrong]] and not record.diagnosed(7)
    assert isinstance(exercises.program(7), str) and lab.patient.fault.says not in lab.html()
    assert_plays(lab)


def test_while_an_answer_is_looked_for_the_panels_stay():
    lab = bed(7)
    lab.use("kept", "graph", "small_step", "gradients")
    wrong = next(cause for cause in causes() if cause not in lab.crossed and cause != lab.patient.fault.cause)
    work = lab.naming(wrong)
    next(work)
    lab.work = work
    lab.renew()
    assert stage_of(lab).count("<figure") == MINUTES + 1 and lab.said.startswith("Is there a reading")
    assert_plays(lab)


def test_a_wrong_cause_that_is_crossed_out_already_is_answered_by_that_reading():
    lab = bed(2)
    wrong, found = next(iter(lab.crossed.items()))
    run(lab, "name", cause=wrong)
    assert lab.wrong[wrong] == found


@pytest.mark.parametrize("number", range(2, len(LESSON) + 1))
def test_the_right_cause_brings_the_code(number):
    lab = bed(number)
    fault = lab.patient.fault
    before = lab.html() + lab.text()
    assert fault.says not in html.unescape(before) and fault.code.strip() not in before
    assert not run(lab, "name", cause=fault.cause)
    assert lab.solved and record.diagnosed(number) and shown_causes(lab)[fault.cause] == ("right", "", "this is it")
    assert html.escape(fault.says) in stage_of(lab) and fault.code.strip() in lab.text()
    assert isinstance(exercises.program(number), Listing)
    assert ask(lab, "name").startswith("You have named it already")
    assert "You have named its cause before." in ward(number).said
    assert_plays(lab)


def test_a_cause_in_the_list_is_chosen_by_a_press_and_not_named():
    lab = bed(2)
    cause = list(causes())[5]
    assert not ask(lab, "cause.5")
    assert lab.values["cause"] == cause and lab.patch["controls"]["cause"] == {"value": cause}
    assert not lab.wrong and not lab.solved


def test_stop_ends_an_instrument_and_counts_no_minute():
    lab = bed(2)

    async def go():
        ask(lab, "by_heart")
        assert lab.patch["controls"]["over"] == {"label": "Stop"}
        while lab.pieces < 2:
            await asyncio.sleep(0.002)
        assert ask(lab, "kept").startswith("One thing at a time")
        assert ask(lab, "name", cause=next(iter(causes()))).startswith("One thing at a time")
        assert float(lab.recording.render.marks(lab)["busy"]["width"]) > 0
        assert_plays(lab)
        ask(lab, "over")
        assert not lab.runner.running and lab.patch["controls"]["over"] == {"label": "Start over"}
        await asyncio.sleep(0.05)

    asyncio.run(go())
    assert lab.minutes == MINUTES and list(lab.readings) == ["curve"] and lab.said.startswith("Stopped.")
    assert record.of(2)["taken"] == [] and lab.hypothesis, "the hypothesis was there before"
    run(lab, "by_heart")
    assert lab.readings["by_heart"].words["memory"] == "stuck"


def test_another_patient_ends_what_is_going_on_and_begins_anew():
    lab = bed(2)
    lab.use("kept")

    async def go():
        ask(lab, "by_heart")
        ask(lab, patient="3")
        await asyncio.sleep(0.05)

    asyncio.run(go())
    assert not lab.runner.running and lab.number == 3 and list(lab.readings) == ["curve"] and not lab.hypothesis
    assert lab.values == {"patient": "3", "hypothesis": "", "cause": NOBODY}
    assert lab.patch["controls"]["hypothesis"] == {"value": ""} and lab.minutes == MINUTES
    assert_plays(lab)
    ask(lab, hypothesis="a row is nonsense")
    lab.use("rows")
    ask(lab, "over")
    assert list(lab.readings) == ["curve"] and lab.values["patient"] == "3"


def test_an_exception_of_an_instrument_is_a_sentence_and_counts_no_minute(monkeypatch):
    lab = bed(2)

    def broken(name):
        yield
        raise ValueError("shapes do not fit")

    monkeypatch.setattr(lab.patient, "reading", broken)
    run(lab, "graph")
    assert lab.patch["message"] == "ValueError: shapes do not fit"
    assert lab.minutes == MINUTES and not lab.work and not lab.runner.running
    assert_plays(lab)


def test_the_healthy_program_has_no_budget_and_no_cause():
    lab = ward("healthy")
    lab.use(*(instrument.name for instrument in TAKEN))
    assert lab.readings.keys() == INSTRUMENTS.keys() and progress.noted("clinic") == {}
    assert ask(lab, "name", cause=next(iter(causes()))) == "This one is healthy: there is no cause to name."
    assert all(picture(reading) in stage_of(lab) for reading in lab.readings.values())
    assert_plays(lab)


def test_the_first_patient_is_the_next_that_is_not_diagnosed():
    assert ward().number == 2
    record.named(2, "softmax_twice", True)
    assert ward().number == 3


@pytest.mark.parametrize("bad", [0, 9, "2", 2.5, True, "ill"])
def test_there_is_no_other_patient(bad):
    with pytest.raises((ValueError, TypeError), match="patient"):
        ward(bad)


def test_what_no_control_can_send_gets_a_sentence():
    lab = bed(2)
    assert ask(lab, "name") == "Choose a cause first: in the field beside this button, or in the list below."
    assert ask(lab, cause="bad luck") == "cause is one of the 26 in the list; got 'bad luck'."
    assert ask(lab, patient="99").startswith("patient is one of 1, 2, ")
    with pytest.raises(ValueError, match="the instruments are gradients, "):
        lab.use("thermometer")
    with pytest.raises(ValueError, match="in the list; got"):
        lab.diagnose("bad luck")
    assert list(lab.readings) == ["curve"]


def test_the_whole_of_it_without_buttons():
    lab = ward(8)
    assert lab.recording.frames[-1].at in str(lab.suppose("The rows come in order.")).lower()
    assert "Units: " in repr(lab.use("units")) and "You think: The rows come in order." in lab.text()
    assert lab.suppose("I knew it.") == lab.text() and lab.hypothesis == "The rows come in order."
    with pytest.raises(TypeError, match="as a text"):
        lab.suppose(8)
    said = lab.diagnose("the rows come in the order of their classes")
    assert "Right: the rows come in the order of their classes." in said and "def batches" in said


def test_what_a_learner_writes_is_text_and_nothing_else():
    lab = bed(2, "<script>alert(1)</script> & “so”")
    lab.use("kept")
    assert "<script>alert" not in stage_of(lab) and "&lt;script&gt;" in stage_of(lab)
    assert len(bed(2, "x" * 900).use("kept").split("You think: ")[1].splitlines()[0]) == 200


def test_a_still_picture_has_all_panels():
    lab = bed(2)
    lab.use("kept", "graph")
    drawn = lab.recording.picture()
    assert all(html.escape(reading.instrument.title) in drawn for reading in lab.readings.values())
    root = ElementTree.fromstring(drawn)
    assert (int(root.get("width")), int(root.get("height"))) == (3 * WIDTH + 40, 2 * HEIGHT + 20)
