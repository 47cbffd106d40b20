"""Look at the rows that are still bold. `=` needs a node that is used twice, a wrong order usually needs one that also
has inputs of its own. A wrong rule shows only if a test uses that operation, preferably not as the last one.

relu needs two cases: an input below 0, and exactly 0. `1 - v` and `1 / v` use the second operand's method. Two nodes
with equal numbers catch an engine that compares numbers.
"""


def result_used_twice(a, b):
    h = a * b
    return h.tanh() * h + h.exp() * h


six_tests = [
    (result_used_twice, [0.5, 0.8]),
    (lambda a, b: (a + a * b) * (a * b + b), [2.0, 3.0]),
    (lambda a: (a.exp() * a.exp() + a * a) ** 2, [0.5]),
    (lambda a: (1 - a).relu() * a + 1 / a, [2.0]),
    (lambda a, b: (a - b).relu() * 3 + a, [1.0, 1.0]),
    (lambda a, b: (a + b).tanh() * b, [1.0, 1.0]),
]
