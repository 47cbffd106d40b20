"""Name the causes of the clinic's list that fit the readings of a learner's own program, or the nearest ones.

The list's causes were read on the clinic's patients. In a learner's own program the same fault may be milder or worse:
then its training ends differently, and only the readings that show this very fault have to be there.
"""

import math

from exercises.clinic.instruments import DIALS, reach
from exercises.clinic.patients import faults
from exercises.clinic.readings import Dial

BAND = 1e-3, 0.1  # of the weights: a usual step (workshop “SGD, momentum, Adam: how long a step?”)
OUTCOMES = {"start", "course", "ability", "dead", "different", "memory", "nodes", "flow", "reach", "scale", "split"}
ALSO = {  # readings that these faults may also give, under other settings
    "tiny_rate": {
        **{"reach": ["usual"], "course": ["falls part of the way", "falls low"]},
        **{"ability": ["a part", "learned"], "memory": ["in part", "learned"]},
    },
    "not_scaled": {"scale": ["usual"]},
    "vanishing": {"flow": ["even"], "reach": ["usual"]},
}
MILD, OUTCOME, DECISIVE = 0.25, 1.0, 3.0  # the cost of a word that a cause does not give; half if it is healthy
MANY = 3


def own_reach(found):
    word = reach.word(found)
    if word not in ("usual", "hardly"):
        return word
    return "hardly" if max(found["shares"]) < BAND[0] else "far" if max(found["shares"]) > BAND[1] else "usual"


REACH = Dial("reach", reach.title, own_reach, ("usual", "far"))
WIDER = {"hardly": ("hardly", "usual"), "far": ("usual", "too far")}  # how the clinic's dial may read them


def given_by(fault, words):
    """Return the cost of a fault: 0 if it gives all of these words, {dial: word}; the worse it fits, the higher."""
    against = 0.0
    for name, word in words.items():
        instrument, dial = DIALS[name]
        may = fault.may(name)
        if word in may or (name == "reach" and set(WIDER.get(word, ())) & set(may)):
            continue
        if word in ALSO.get(fault.key, {}).get(name, ()):
            against += MILD
        elif name in OUTCOMES and not (instrument.name in fault.shows and word in dial.healthy):
            against += OUTCOME / (2 if word in dial.healthy else 1)
        else:
            against += DECISIVE
    return against


def nearest(words):
    """Return (the causes that give all of these readings, others that are near), three in all, at most."""
    costs = {}
    for fault in faults().values():
        costs[fault.cause] = min(given_by(fault, words), costs.get(fault.cause, math.inf))
    least = min(costs.values())
    near = [cause for cause in sorted(costs, key=costs.get) if costs[cause] <= least + 1]
    exact = [cause for cause in near if costs[cause] == 0]
    return exact, near[len(exact) : max(MANY, len(exact))]
