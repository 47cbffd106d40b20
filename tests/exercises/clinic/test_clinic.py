"""The clinic's core: programs, faults, instruments; what tells two faults apart; the reply to a repair."""

import functools
import inspect
import itertools
import math
import tomllib

import numpy as np
import pytest

from exercises.clinic import patients, repairing
from exercises.clinic.instruments import DIALS, INSTRUMENTS, read
from exercises.clinic.numbers import rounded
from exercises.clinic.patients import Patient, causes, consistent, faults, unhealthy
from exercises.clinic.program import PARTS, Engine, TrainingProgram
from exercises.clinic.readings import finished
from exercises.engine_file import trial

FREE = ("start", "course", "ability")


@pytest.mark.parametrize("field", ["part", "tempting", "expects", "says"])
def test_fault_entry_without_a_field_is_reported(field):
    entry = {**tomllib.loads(patients.ENTRIES.read_text(encoding="utf-8"))["tiny_rate"]}
    assert patients.fault("tiny_rate", **entry) == faults()["tiny_rate"]
    del entry[field]
    with pytest.raises(ValueError, match=rf"The entry tiny_rate of faults.toml .*'{field}'"):
        patients.fault("tiny_rate", **entry)


@functools.cache
def patient(key):
    """Return the patient of a fault with the trial's seed; "digits" and "pump" are healthy. Its readings are kept."""
    return Patient(faults().get(key), seed=3 if key == "sorted_rows" else 0, task="pump" if key == "pump" else "digits")


def words(key):
    return patient(key).words()


def alike(keys, dials):
    return {(a, b) for a, b in itertools.combinations(keys, 2) if all(words(a)[d] == words(b)[d] for d in dials)}


@pytest.mark.long
def test_every_pair_of_faults_differs_in_a_reading():
    keys = ("digits", *faults())
    assert alike(keys, DIALS) == set()
    assert alike(keys, FREE) >= {
        *(("digits", "leakage"), ("digits", "no_zero_slow"), ("digits", "left_out"), ("leakage", "left_out")),
        *(("leakage", "no_zero_slow"), ("left_out", "no_zero_slow"), ("tiny_rate", "old_parameters")),
        *(("tiny_rate", "all_zero"), ("old_parameters", "all_zero"), ("equal_weights", "detached")),
        *(("vanishing", "shuffled_labels"), ("wrong_sign", "no_zero")),
    }


@pytest.mark.parametrize("key", faults())
def test_fault_entries_refer_only_to_known_names(key):
    """This takes a moment, before anything is trained."""
    fault = faults()[key]
    for field, known in (
        ("shows", INSTRUMENTS),
        ("expects", DIALS),
        ("mistaken_for", {*causes().values()} - {key}),  # a fault that is another one under other settings is no cause
    ):
        odd = sorted({*getattr(fault, field)} - {*known})
        assert not odd, f"`{field}` of the entry {key} has {', '.join(odd)}; known are {', '.join(known)}"
    for change in (fault, fault.tempting):
        known = change.part in PARTS and f"def {change.part}(" in change.code
        assert known, f"a change of the entry {key} is of the part {change.part!r}; parts are {', '.join(PARTS)}"
    assert fault.says.endswith("."), f"`says` of the entry {key} is no sentence with its full stop"
    odd = sorted({*fault.complaints} - {*patients.complaints()})
    assert not odd, f"`complaints` of the entry {key} has {', '.join(odd)}; complaints.toml has none so called"


@pytest.mark.long
@pytest.mark.parametrize("key", faults())
def test_fault_is_detectable_and_tempting_repair_only_hides_it(key):
    """Its readings leave only its cause, and one of them rules out each wrong hypothesis; it names known things."""
    fault, here = faults()[key], patient(key)
    lacks = {dial: word for dial, word in words(key).items() if word not in fault.may(dial)}
    assert not lacks, f"the entry {key} lacks these words in `expects`"
    left = {faults()[each].cause for each in consistent(words(key))}
    assert left == {fault.cause}, f"the readings of {key}, {words(key)}, leave these causes: {left}"
    unseen = [name for name in fault.shows if not unhealthy(here.read(name).words)]
    assert fault.shows and not unseen, f"these read as on a healthy program, and {unhealthy(words(key))} do not"
    for other in fault.mistaken_for:
        reading, dial = found = patients.against(here, other)
        said = patients.sentence(other, found)
        assert faults()[other].cause in said and f"“{reading.shown(reading.words[dial])}”" in said
        assert reading.words[dial] not in faults()[other].may(dial), f"{dial} does not tell {key} from {other}"
    hidden = finished(repairing.repair(here, here.program.repaired(fault.tempting.code)))
    assert not hidden.is_right, f"`tempting` of the entry {key} mends it: it should only hide it"
    assert hidden.says


def test_expected_words_of_an_entry_are_words_of_its_dials():
    """`expects` may hold words that the usual sizes do not give."""
    for fault in faults().values():
        for dial, allowed in fault.expects.items():
            known = inspect.getsource(DIALS[dial][1].word)
            assert [word for word in allowed if f'"{word}"' not in known] == [], (fault.key, dial, allowed)


def test_change_that_matches_nothing_is_reported():
    with pytest.raises(ValueError, match=r"The entry odd of faults\.toml changes 'LRR', which is not in its part"):
        patients.fault("odd", part="make", change={"LRR": "LR"}, tempting={})


@pytest.mark.parametrize("task", ["digits", "pump"])
def test_healthy_program_has_healthy_readings(task):
    assert unhealthy(words(task)) == []


def reading(key, instrument):
    return patient(key).read(instrument).numbers


class TestNumbers:
    """The readings of the trial on which the design rests, each with how near ours come."""

    @pytest.mark.parametrize(
        "key, first, epoch, last, train, test",
        [
            ("digits", 2.42, 1.27, 0.104, 0.986, 0.975),
            ("tiny_rate", 2.42, 2.334, 2.333, 0.10, 0.088),
            ("all_zero", 2.303, 2.306, 2.305, 0.106, 0.083),
            ("not_scaled", 11.6, 142, 2.21, 0.141, 0.128),
            ("wrong_axis", 3.90, 2.81, 1.96, 0.908, 0.904),
            ("softmax_twice", 2.305, 2.26, 1.57, 0.941, 0.927),
            ("no_zero", 2.42, 1.24, 6.2, 0.106, 0.083),
            ("no_zero_slow", 2.42, 2.12, 0.42, 0.939, 0.940),
        ],
    )
    def test_curves_of_the_same_program(self, key, first, epoch, last, train, test):
        found = reading(key, "curve")
        assert (found["losses"][0], found["epochs"][0]) == pytest.approx((first, epoch), rel=0.005)
        assert found["epochs"][-1] == pytest.approx(last, rel=0.012)
        assert (found["train"], found["test"]) == pytest.approx((train, test), abs=0.002)

    @pytest.mark.long
    def test_loss_curves_match_theory(self):
        """Without weights the first loss is ln 10; a softmax over 50 rows begins at ln 50; one twice has a floor."""
        assert reading("all_zero", "curve")["losses"][0] == pytest.approx(math.log(10), abs=1e-9)
        assert reading("wrong_axis", "curve")["losses"][0] == pytest.approx(math.log(50), abs=0.05)
        floor = math.log(1 + 9 / math.e)
        assert floor < reading("softmax_twice", "by_heart")["losses"][-1] < floor + 0.01
        epochs = reading("wrong_sign", "curve")["epochs"]
        assert epochs[0] == pytest.approx(37.6, rel=0.01) and 1e33 < epochs[-1] < 1e34
        assert reading("wrong_measure", "curve")["test"] == pytest.approx(0.156, abs=0.001)
        assert reading("sum_for_mean", "curve")["losses"][0] == pytest.approx(473, abs=1)
        pump = reading("pump", "curve")  # near what the noise allows
        assert pump["train"] > 0.85 and pump["test"] > 0.75

    @pytest.mark.parametrize(
        "key, nodes, reached, of",
        [
            *(("digits", 11, 4, 4), ("leaf_loss", 1, 0, 4), ("vanishing", 56, 22, 22), ("softmax_twice", 16, 4, 4)),
            *(("exploding", 61, 24, 24), ("detached", 6, 2, 6), ("left_out", 16, 6, 6), ("sum_for_mean", 13, 4, 4)),
        ],
    )
    def test_graph_sizes(self, key, nodes, reached, of):
        found = reading(key, "graph")
        assert (found["nodes"], found["reached"], found["of"]) == (nodes, reached, of)

    @pytest.mark.parametrize(
        "key, instrument, ratio, near",
        [
            *((key, "small_step", 1, {"abs": 0.001}) for key in ("digits", "tiny_rate", "shuffled_labels")),
            *(("wrong_sign", "small_step", -1, {"abs": 0.001}), ("old_parameters", "small_step", 0, {"abs": 0.001})),
            *(("old_parameters", "kept", 3.15, {"rel": 0.25}), ("no_zero", "kept", 1.91, {"rel": 0.25})),
            ("no_zero_slow", "kept", 3.18, {"rel": 0.25}),
        ],
    )
    def test_small_step_and_stale_gradient_ratios(self, key, instrument, ratio, near):
        assert reading(key, instrument)["ratio"] == pytest.approx(ratio, **near)

    def test_small_step_ratio_is_the_optimised_share_of_gradient(self):
        run = patient("left_out").program.begin()
        run.pass_back(*run.first_batch())
        squares = [np.sum(each**2) for each in run.gradients()]
        share = (sum(squares) - sum(squares[2:4])) / sum(squares)
        assert 0.3 < share < 0.8
        assert reading("left_out", "small_step")["ratio"] == pytest.approx(share, abs=0.001)

    def test_gradients_accumulate_fourfold_without_zero_grad(self):
        still = "def update(layers, optimizer):\n    pass\n"
        one = "def batches(x, labels, rng):\n    yield x[:50], labels[:50]\n"
        program = patient("no_zero").program.repaired(still, one)
        assert read(program, "kept").numbers["ratio"] == pytest.approx(4)

    def test_gradient_check_passes_wrong_losses_and_catches_wrong_rules(self):
        for key in ("digits", "wrong_axis", "softmax_twice", "shuffled_labels", "not_scaled"):
            found = reading(key, "check")
            assert found["error"] < 1e-8 * max(1, found["largest"]), key
        for key, error in (("wrong_engine", 0.015), ("stale", 1e-4)):
            assert error / 2 < reading(key, "check")["error"] < error * 2

    def test_data_sheet_finds_leaks_copies_and_sorted_rows(self):
        healthy, leaking = reading("digits", "sheet"), reading("leakage", "sheet")
        assert healthy["near"] == pytest.approx(1.035, abs=0.05) and healthy["same"] > 0.97
        assert leaking["near"] < 0.3 and leaking["copies"] > 120
        assert [reading(key, "sheet")["copies"] for key in ("digits", "not_scaled", "missing_value")] == [0, 0, 0]
        assert reading("other_scale", "sheet")["train"][0] == pytest.approx(0, abs=1e-9)
        assert reading("shuffled_labels", "sheet")["same"] == pytest.approx(0.1, abs=0.05)
        assert reading("sorted_rows", "sheet")["classes"] == pytest.approx(1.29, abs=0.01)

    @pytest.mark.parametrize("columns", [1, 2, 3, 4, 6])
    def test_rows_with_few_columns_are_near_by_chance(self, columns):
        names = {"columns": columns, "np": np}
        exec(
            "def data():\n    x = np.random.RandomState(1).standard_normal((500, columns))\n"
            "    return x[:300], x[:300, 0], x[300:], x[300:, 0]\n\n"
            "def make(rng):\n    p = layer(rng, columns, 1)\n    return [p], SGD(list(p), 0.01)\n",
            names,
        )
        found = read(TrainingProgram("pump").with_functions(names["data"], names["make"]), "sheet")
        assert found.words["split"] == "alike", found

    def test_row_instrument_finds_unusual_rows(self):
        """The row of 999; one part in five that counts; each answer against every target."""
        found = reading("missing_value", "rows")
        assert found["row"] == 211 and found["sizes"][211] > 10_000 * found["median"]
        found = reading("late_binding", "rows")
        assert (found["counted"], found["of"]) == (10, 50)
        assert reading("broadcast_target", "graph")["largest"] == (300, 300)
        found = reading("broadcast_target", "by_heart")
        assert found["losses"][-1] == pytest.approx(found["variance"], rel=0.05)


def judged(key, code):
    names = {"np": np}
    exec(code, names)
    functions = [names[part] for part in PARTS if part in names]
    return finished(repairing.repair(patient(key), patient(key).program.with_functions(*functions)))


@pytest.mark.long
def test_learners_repair_may_use_helper_functions():
    zero = "def zero(layers, optimizer):\n    for w, b in layers:\n        gone(w); gone(b)\n"
    assert judged("no_zero", f"def gone(p):\n    p.grad = 0.0\n\n{zero}").is_right
    by_hand = "    for p in optimizer.parameters:\n        p.data = p.data - LR * p.grad\n"
    assert judged("wrong_sign", f"def update(layers, optimizer):\n{by_hand}").is_right


@pytest.mark.long
def test_hiding_a_fault_or_changing_nothing_is_not_a_repair():
    """Such as a smaller rate on large pixels, which learns."""
    found = judged(
        "not_scaled",
        "def make(rng):\n    layers = [layer(rng, 64, HIDDEN), layer(rng, HIDDEN, 10)]\n"
        "    return layers, SGD([*layers[0], *layers[1]], 0.03)\n",
    )
    assert found.hides and "scale" in found.left and any("Largest 16" in said for said in found.says)
    found = judged("all_zero", "")
    assert not found.is_right and not found.hides


class TestPatients:
    @pytest.mark.long
    def test_patients_leave_one_cause_and_are_reproducible_by_seed(self):
        keys = ["tiny_rate", "all_zero", "wrong_sign"]
        once, again = (patients.one_drawn(5, 1, keys) for _ in range(2))
        assert (once.fault.key, once.seed, once.settings) == (again.fault.key, again.seed, again.settings)
        found = [patients.one_drawn(1, place) for place in range(3)]
        assert len({each.fault.cause for each in found}) == 3
        for each in found:
            assert {faults()[key].cause for key in consistent(each.words())} == {each.fault.cause}

    def test_patient_runs_on_a_learners_engine(self):
        here = Patient(faults()["old_parameters"], seed=0, engine=Engine.from_module(trial.template_engine()))
        expected = reading("old_parameters", "curve")["losses"]
        assert here.read("curve").numbers["losses"] == pytest.approx(expected, rel=1e-9)

    def test_lesson_patients_have_fixed_numbers(self):
        assert patients.patient(1).fault.key == "old_parameters"
        assert patients.patient("healthy").fault is None

    def test_readings_are_cached_and_rule_out_causes_one_by_one(self):
        here = Patient(faults()["tiny_rate"])
        assert here.ruled_out == {}
        assert here.read("kept") is here.read("kept") and set(here.readings) == {"kept"}
        first = set(here.ruled_out)
        here.read("moved")
        assert first < set(here.ruled_out)
        assert faults()["tiny_rate"].cause not in here.ruled_out


def test_program_has_named_parts_and_arithmetic_errors_end_it():
    assert TrainingProgram().LR == 0.5
    breaks = "def loss(layers, x, labels):\n    raise ZeroDivisionError('by 0')\n"
    assert read(TrainingProgram(changes=[breaks]), "by_heart").words == {"memory": "lost"}


@pytest.mark.parametrize(
    "x, shown",
    [
        *((0.0, "0"), (1.0, "1"), (-1.382e-4, "-1.38e-4"), (12345.6, "12,346"), (7.2e33, "7.20e33")),
        *((math.nan, "no number"), (math.inf, "infinite")),
    ],
)
def test_rounded_formats_numbers(x, shown):
    assert rounded(x) == shown
