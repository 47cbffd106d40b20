"""The clinic's first workshop: its numbers are what the instruments read."""

import math

import numpy as np

from autograd.errors.messages import show
from exercises.clinic.instruments import INSTRUMENTS
from exercises.clinic.patients import consistent, faults, patient
from exercises.clinic.program import PARTS
from tests.notebooks import Lesson

LESSON = Lesson("my_network_does_not_learn")


def read(key, instrument):
    return patient(key).read(instrument).numbers


def test_symptoms_and_readings_of_the_healthy_program():
    ends = [read(key, "curve")["epochs"][-1] for key in ("tiny_rate", "old_parameters", "all_zero")]
    curve, graph, gradients = (read("healthy", name) for name in ("curve", "graph", "gradients"))
    shares = [100 * share for share in read("healthy", "moved")["shares"]]
    LESSON.says(
        "All three stand still, at {:.2f}, {:.2f} and {:.2f}.".format(*ends),
        f"first loss is {curve['losses'][0]:.2f}, the mean of the last epoch {curve['epochs'][-1]:.4f}",
        f"{100 * curve['test']:.1f} % of the test pictures",
        f"{graph['nodes']}, and all {graph['reached']} parameters are reached",
        f"The loss is {float(graph['loss']):.4f}, not {curve['losses'][0]:.2f}",
        f"{100 * gradients['zeros']:.0f} % of them are exactly 0",
        "{:.1f} % of the first layer's weights and {:.1f} % of the second's".format(*shares),
        {8: "has the same eight parts"}[len(PARTS)],
        {12: "twelve instruments"}[len(INSTRUMENTS)],
    )
    fading = [show(float(np.mean(10 ** np.array(read("vanishing", "gradients")["logs"][at])))) for at in (-1, 0)]
    LESSON.says("the mean size is {} in the last and {} in the first".format(*fading))


def test_overfitting_small_step_stale_gradients_and_patient_1():
    healthy, twice = (read(key, "by_heart")["losses"][-1] for key in ("healthy", "softmax_twice"))
    assert f"{twice:.2f}" == f"{math.log(1 + 9 / math.e):.2f}"
    ratios = [round(read(key, "small_step")["ratio"], 2) + 0.0 for key in ("wrong_sign", "old_parameters", "left_out")]
    texts = f"At {healthy:.4f} and at {twice:.2f}", "{:g}, {:g} and {:g}".format(*ratios).replace("-", "−")
    LESSON.says(*texts, f"it is {read('no_zero', 'kept')['ratio']:.2f}: four gradients", patient(1).complaint)
    left = {faults()[key].cause for key in consistent(patient(1).words(["curve", "moved"]))}
    assert left == {patient(1).fault.cause}
