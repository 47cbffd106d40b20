"""The clinic's core: programs, faults, instruments; what tells two faults apart; what a repair is told."""

import functools
import itertools
import math

import numpy as np
import pytest

from exercises.clinic import patients
from exercises.clinic.instruments import DIALS, INSTRUMENTS, number, read
from exercises.clinic.patients import Patient, causes, consistent, faults, unhealthy
from exercises.clinic.program import PARTS, Engine, Program
from exercises.clinic.readings import finished
from exercises.engine_file import parts

TABLE = tuple(
    key
    for key in faults()
    if key not in ("broadcast_target", "missing_value", "late_binding", "wrong_measure", "stale")
)
FREE = ("start", "course", "ability")
LAST = {"no_zero", "no_zero_slow"}  # one cause at two rates


@functools.cache
def patient(key):
    """The patient of a fault with the trial's seed; "digits" and "pump" are healthy. Its readings are kept."""
    return Patient(faults().get(key), seed=3 if key == "sorted_rows" else 0, task="pump" if key == "pump" else "digits")


def words(key):
    return patient(key).words()


def alike(keys, dials):
    return {(a, b) for a, b in itertools.combinations(keys, 2) if all(words(a)[d] == words(b)[d] for d in dials)}


def test_every_two_of_the_table_differ_in_a_word():
    programs = ("digits", *TABLE)
    assert len(programs) == 23
    assert alike(programs, DIALS) == set()


def test_so_do_the_others():
    assert alike(("digits", *faults()), DIALS) == set()


def test_curve_and_accuracies_alone_leave_pairs_alike():
    assert alike(("digits", *TABLE), FREE) == {
        ("digits", "leakage"),
        ("digits", "no_zero_slow"),
        ("tiny_rate", "old_parameters"),
        ("tiny_rate", "all_zero"),
        ("old_parameters", "all_zero"),
        ("equal_weights", "detached"),
        ("vanishing", "shuffled_labels"),
        ("wrong_sign", "no_zero"),
        ("leakage", "no_zero_slow"),
        ("digits", "left_out"),
        ("leakage", "left_out"),
        ("left_out", "no_zero_slow"),
    }


@pytest.mark.parametrize("key", faults())
class TestFault:
    def test_its_readings_leave_its_cause_alone(self, key):
        assert {faults()[each].cause for each in consistent(words(key))} == {faults()[key].cause}

    def test_what_is_to_show_it_shows_it(self, key):
        for name in faults()[key].shows:
            assert unhealthy(patient(key).read(name).words), name

    def test_each_wrong_hypothesis_is_ruled_out_by_a_reading(self, key):
        for other in faults()[key].mistaken_for:
            found = patients.against(patient(key), other)
            reading, dial = found
            said = patients.sentence(other, found)
            assert faults()[other].cause in said
            assert f"“{reading.words[dial]}”" in said
            assert reading.words[dial] not in faults()[other].may(dial)

    def test_the_tempting_repair_only_hides_it(self, key):
        tempting = faults()[key].tempting
        found = finished(patients.repair(patient(key), patient(key).program.repaired(tempting.code)))
        assert not found.is_right
        assert found.says

    def test_its_text_and_what_it_names_are_known(self, key):
        fault = faults()[key]
        assert fault.part in PARTS and fault.tempting.part in PARTS
        assert f"def {fault.part}(" in fault.code and f"def {fault.tempting.part}(" in fault.tempting.code
        assert set(fault.shows) <= set(INSTRUMENTS)
        assert set(fault.mistaken_for) <= set(causes().values())
        assert fault.complaint.endswith((".", "?")) and fault.says.endswith(".")
        assert key not in fault.mistaken_for and set(fault.expects) <= set(DIALS)


def test_a_reading_that_a_fault_never_gives_is_the_claim_of_each_entry():
    """`expects` may hold words that the usual sizes do not give, but each word is one of its dial's."""
    vocabulary = {dial: {words(key)[dial] for key in ("digits", "pump", *faults())} for dial in DIALS}
    rare = {"0", "above 1", "below 0", "no number", "lost", "some", "many", "in part", "a part"}  # at other sizes
    for fault in faults().values():
        for dial, allowed in fault.expects.items():
            assert set(allowed) <= vocabulary[dial] | rare, (fault.key, dial)


@pytest.mark.parametrize("task", ["digits", "pump"])
def test_a_healthy_program_reads_healthy(task):
    assert unhealthy(words(task)) == []


class TestNumbers:
    """The readings of the trial on which the design rests, each with how near ours comes."""

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
        """To the digits that the trial gave."""
        found = patient(key).read("curve").numbers
        assert found["losses"][0] == pytest.approx(first, rel=0.005)
        assert found["epochs"][0] == pytest.approx(epoch, rel=0.005)
        assert found["epochs"][-1] == pytest.approx(last, rel=0.012)
        assert found["train"] == pytest.approx(train, abs=0.002)
        assert found["test"] == pytest.approx(test, abs=0.002)

    def test_the_wrong_sign_climbs_without_end(self):
        found = patient("wrong_sign").read("curve").numbers
        assert found["epochs"][0] == pytest.approx(37.6, rel=0.01) and 1e33 < found["epochs"][-1] < 1e34

    def test_a_wrong_measure_of_a_healthy_network(self):
        assert patient("wrong_measure").read("curve").numbers["test"] == pytest.approx(0.156, abs=0.001)
        assert patient("sum_for_mean").read("curve").numbers["losses"][0] == pytest.approx(473, abs=1)

    @pytest.mark.parametrize(
        "key, last, train, test",
        [
            ("old_parameters", 2.334, 0.101, 0.088),
            ("equal_weights", 1.76, 0.287, 0.249),
            ("vanishing", 2.32, 0.102, 0.098),
            ("shuffled_labels", 2.25, 0.17, 0.108),
            ("noise_in_place", 1.44, 0.558, 0.889),
            ("detached", 1.54, 0.566, 0.544),
            ("sorted_rows", None, 0.461, 0.471),
            ("other_scale", None, 0.996, 0.673),
        ],
    )
    def test_curves_of_like_programs(self, key, last, train, test):
        """Other draws of weights, noise or order: the last loss within a fifth, shares within 0.12."""
        found = patient(key).read("curve").numbers
        assert last is None or found["epochs"][-1] == pytest.approx(last, rel=0.2)
        assert found["train"] == pytest.approx(train, abs=0.12)
        assert found["test"] == pytest.approx(test, abs=0.12)

    def test_without_weights_the_first_loss_is_ln_10_exactly(self):
        assert patient("all_zero").read("curve").numbers["losses"][0] == pytest.approx(math.log(10), abs=1e-9)

    def test_softmax_over_50_rows_begins_at_ln_50(self):
        assert patient("wrong_axis").read("curve").numbers["losses"][0] == pytest.approx(math.log(50), abs=0.05)

    def test_softmax_twice_has_a_floor(self):
        floor = math.log(1 + 9 / math.e)
        assert floor < patient("softmax_twice").read("by_heart").numbers["losses"][-1] < floor + 0.01

    @pytest.mark.parametrize(
        "key, nodes, reached, of",
        [
            *(("digits", 11, 4, 4), ("leaf_loss", 1, 0, 4), ("vanishing", 56, 22, 22), ("softmax_twice", 16, 4, 4)),
            *(("exploding", 61, 24, 24), ("detached", 6, 2, 6), ("left_out", 16, 6, 6), ("sum_for_mean", 13, 4, 4)),
        ],
    )
    def test_graphs(self, key, nodes, reached, of):
        found = patient(key).read("graph").numbers
        assert (found["nodes"], found["reached"], found["of"]) == (nodes, reached, of)

    @pytest.mark.parametrize(
        "key, share",
        [("digits", 1), ("wrong_sign", -1), ("old_parameters", 0), ("tiny_rate", 1), ("shuffled_labels", 1)],
    )
    def test_the_small_step(self, key, share):
        assert patient(key).read("small_step").numbers["ratio"] == pytest.approx(share, abs=0.001)

    def test_with_a_layer_left_out_the_small_step_is_the_share_that_is_optimised(self):
        program = patient("left_out").program
        run = program.begin()
        run.pass_back(*run.first_batch())
        squares = [np.sum(each**2) for each in run.gradients()]
        share = (sum(squares) - sum(squares[2:4])) / sum(squares)
        assert 0.3 < share < 0.8
        assert patient("left_out").read("small_step").numbers["ratio"] == pytest.approx(share, abs=0.001)

    @pytest.mark.parametrize("key, ratio", [("old_parameters", 3.15), ("no_zero", 1.91), ("no_zero_slow", 3.18)])
    def test_kept_beside_fresh(self, key, ratio):
        assert patient(key).read("kept").numbers["ratio"] == pytest.approx(ratio, rel=0.25)

    def test_without_zero_and_without_a_step_four_passes_on_one_batch_leave_four_gradients(self):
        still = "def update(layers, optimizer):\n    pass\n"
        one = "def batches(x, labels, rng):\n    yield x[:50], labels[:50]\n"
        program = patient("no_zero").program.repaired(still, one)
        assert read(program, "kept").numbers["ratio"] == pytest.approx(4)

    @pytest.mark.parametrize("key", ["digits", "wrong_axis", "softmax_twice", "shuffled_labels", "not_scaled"])
    def test_a_gradient_that_is_right_of_a_wrong_loss(self, key):
        found = patient(key).read("check").numbers
        assert found["error"] < 1e-8 * max(1, found["largest"])

    @pytest.mark.parametrize("key, error", [("wrong_engine", 0.015), ("stale", 1e-4)])
    def test_a_gradient_that_is_wrong(self, key, error):
        assert error / 2 < patient(key).read("check").numbers["error"] < error * 2

    def test_the_data_sheet(self):
        found = {key: patient(key).read("sheet").numbers for key in ("digits", "leakage", "other_scale")}
        assert found["digits"]["near"] == pytest.approx(1.035, abs=0.05)
        assert found["digits"]["same"] > 0.97
        assert found["leakage"]["near"] < 0.3
        assert found["other_scale"]["train"][0] == pytest.approx(0, abs=1e-9)
        assert patient("shuffled_labels").read("sheet").numbers["same"] == pytest.approx(0.1, abs=0.05)
        assert patient("sorted_rows").read("sheet").numbers["classes"] == pytest.approx(1.29, abs=0.01)

    def test_copies_are_counted_and_rows_that_are_near_by_chance_are_none(self):
        assert patient("leakage").read("sheet").numbers["copies"] > 120
        for key in ("digits", "not_scaled", "missing_value"):
            assert patient(key).read("sheet").numbers["copies"] == 0

    @pytest.mark.parametrize("columns", [1, 2, 3, 4, 6])
    def test_rows_of_few_columns_are_near_by_chance(self, columns):
        names = {"columns": columns, "np": np}
        exec(
            "def data():\n    x = np.random.RandomState(1).standard_normal((500, columns))\n"
            "    return x[:300], x[:300, 0], x[300:], x[300:, 0]\n",
            names,
        )
        exec("def make(rng):\n    p = layer(rng, columns, 1)\n    return [p], SGD(list(p), 0.01)\n", names)
        program = Program("pump").with_functions(names["data"], names["make"])
        found = read(program, "sheet")
        assert found.words["split"] == "alike", found

    def test_the_row_of_999(self):
        found = patient("missing_value").read("rows").numbers
        assert found["row"] == 211
        assert found["sizes"][211] > 10_000 * found["median"]

    def test_one_part_in_five_counts(self):
        found = patient("late_binding").read("rows").numbers
        assert (found["counted"], found["of"]) == (10, 50)

    def test_each_answer_against_every_target(self):
        patient_of = patient("broadcast_target")
        assert patient_of.read("graph").numbers["largest"] == (300, 300)
        found = patient_of.read("by_heart").numbers
        assert found["losses"][-1] == pytest.approx(found["variance"], rel=0.05)

    def test_a_healthy_reading_of_the_pump_is_near_what_the_noise_allows(self):
        found = patient("pump").read("curve").numbers
        assert found["train"] > 0.85 and found["test"] > 0.75


class TestRepair:
    def judged(self, key, *functions):
        return finished(patients.repair(patient(key), patient(key).program.with_functions(*functions)))

    def test_one_written_in_another_way_than_ours(self):
        def scores(layers, x):
            for i, (w, b) in enumerate(layers):
                x = (x if i else Tensor(x)) @ w + b  # noqa: F821
                x = x.tanh() if i < len(layers) - 1 else x
            return x

        assert self.judged("detached", scores).is_right

    def test_the_step_by_hand(self):
        def update(layers, optimizer):
            for w, b in layers:
                w.data = w.data - LR * w.grad  # noqa: F821
                b.data = b.data - LR * b.grad  # noqa: F821

        assert self.judged("wrong_sign", update).is_right

    def test_a_smaller_rate_on_large_pixels_learns_and_hides(self):
        def make(rng):
            layers = [layer(rng, 64, HIDDEN), layer(rng, HIDDEN, 10)]  # noqa: F821
            return layers, SGD([*layers[0], *layers[1]], 0.03)  # noqa: F821

        found = self.judged("not_scaled", make)
        assert found.hides
        assert "scale" in found.left
        assert any("Largest 16" in said for said in found.says)

    def test_nothing_changed_is_no_repair(self):
        found = self.judged("all_zero")
        assert not found.is_right and not found.hides

    def test_helpers_of_a_learner_come_along(self):
        names = {"np": np}
        exec(
            "def gone(p):\n    p.grad = 0.0\n\ndef zero(layers, optimizer):\n    for w, b in layers:\n"
            "        gone(w); gone(b)\n",
            names,
        )
        assert self.judged("no_zero", names["zero"]).is_right


class TestPatients:
    def test_they_are_drawn_so_that_one_cause_is_left(self):
        found = patients.drawn(1, 3)
        assert len({each.fault.cause for each in found}) == 3
        for each in found:
            assert {faults()[key].cause for key in consistent(each.words())} == {each.fault.cause}

    def test_the_same_seed_draws_the_same(self):
        keys = ["tiny_rate", "all_zero", "wrong_sign"]
        once, again = (patients.drawn(5, 2, keys) for _ in range(2))
        assert [(e.fault.key, e.seed, e.settings) for e in once] == [(e.fault.key, e.seed, e.settings) for e in again]

    def test_on_a_learners_engine(self):
        own = Engine.of(parts.course_engine())
        here = Patient(faults()["old_parameters"], seed=0, engine=own)
        assert here.read("curve").numbers["losses"] == pytest.approx(
            patient("old_parameters").read("curve").numbers["losses"], rel=1e-9
        )

    def test_numbers_of_the_lesson(self):
        assert patients.patient(1).fault.key == "old_parameters"
        assert patients.patient("healthy").fault is None
        with pytest.raises(ValueError, match="from 1 to 8; got 9"):
            patients.patient(9)
        for odd in ("2", 2.0, None, True):
            with pytest.raises(TypeError, match="patient takes a number from 1 to 8"):
                patients.patient(odd)

    def test_a_reading_is_taken_once_and_kept(self):
        here = Patient(faults()["tiny_rate"])
        assert here.read("moved") is here.read("moved")
        assert set(here.readings) == {"moved"}

    def test_readings_rule_causes_out_one_by_one(self):
        here = Patient(faults()["tiny_rate"])
        assert here.ruled_out == {}
        here.read("kept")
        first = set(here.ruled_out)
        here.read("moved")
        assert first < set(here.ruled_out)
        assert "tiny_rate" not in here.ruled_out


def test_a_part_of_a_program_by_its_name():
    assert Program().LR == 0.5
    with pytest.raises(AttributeError, match=r"a program has no 'optimiser'. It has: data, make"):
        Program().optimiser  # noqa: B018


def test_a_program_whose_arithmetic_ends_in_an_error_ends_without_a_number():
    breaks = "def loss(layers, x, labels):\n    raise ZeroDivisionError('by 0')\n"
    assert read(Program(changes=[breaks]), "by_heart").words == {"memory": "lost"}


@pytest.mark.parametrize(
    "x, shown",
    [
        *((0.0, "0"), (1.0, "1"), (-1.382e-4, "-1.38e-4"), (12345.6, "12,346"), (7.2e33, "7.20e33")),
        *((math.nan, "no number"), (math.inf, "infinite")),
    ],
)
def test_numbers_as_they_are_shown(x, shown):
    assert number(x) == shown
