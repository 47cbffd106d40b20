"""Which causes of the clinic's list readings of a program of one's own speak for: those that give them, or the nearest.

The list's causes were read on the clinic's patients. In a program of one's own the same fault may be milder, or worse:
what its training comes to then reads otherwise, and only what shows this fault is to be there.
"""

import math

from exercises.clinic.instruments import DIALS, reach
from exercises.clinic.patients import faults
from exercises.clinic.readings import Dial

BAND = 1e-3, 0.1  # of the weights: what a step usually moves (workshop “SGD, momentum, Adam: how long a step?”)
OUTCOMES = {"start", "course", "ability", "dead", "different", "memory", "nodes", "flow", "reach", "scale", "split"}
ALSO = {  # under other settings, these faults may also give
    "tiny_rate": {
        **{"reach": ["usual"], "course": ["falls part of the way", "falls low"]},
        **{"ability": ["a part", "learned"], "memory": ["in part", "learned"]},
    },
    "not_scaled": {"scale": ["usual"]},
    "vanishing": {"flow": ["even"], "reach": ["usual"]},
}
MILD, OUTCOME, DECISIVE = 0.25, 1.0, 3.0  # what a word costs that a cause does not give; half, where it is healthy
MANY = 3


def own_reach(found):
    """How far a step moves the weights, by the band of what a step usually moves."""
    word = reach.word(found)
    if word not in ("usual", "hardly"):
        return word
    return "hardly" if max(found["shares"]) < BAND[0] else "far" if max(found["shares"]) > BAND[1] else "usual"


REACH = Dial("reach", reach.title, own_reach, ("usual", "far"))
WIDER = {"hardly": ("hardly", "usual"), "far": ("usual", "too far")}  # what the clinic's dial may read for them


def given_by(fault, words):
    """What speaks against a fault: 0 where it gives all of these words, {dial: word}, more the less it does."""
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
    """(the causes that give all of these readings, others that are near): three in all, at most."""
    costs = {}
    for fault in faults().values():
        costs[fault.cause] = min(given_by(fault, words), costs.get(fault.cause, math.inf))
    least = min(costs.values())
    near = [cause for cause in sorted(costs, key=costs.get) if costs[cause] <= least + 1]
    exact = [cause for cause in near if costs[cause] == 0]
    return exact, near[len(exact) : max(MANY, len(exact))]
