"""The check of `second_pass`: the factor of two passes over chains, which the check runs itself."""

import itertools
import random

from exercises.judging.vocabulary import NotAttempted, called, function_exercise, make_result

RESETS = "all", "intermediates", "nothing"


def factor(k, reset):
    """Return the leaf's gradient after two passes over a chain of k inner nodes whose local derivatives are 1."""
    grads = [0.0] * (k + 2)  # root, nodes in between, leaf
    for _ in range(2):
        for i in range(len(grads)):
            if reset == "all" or (reset == "intermediates" and i < k + 1):
                grads[i] = 0.0
        grads[0] = 1.0
        for i in range(k + 1):
            grads[i + 1] += grads[i]
    return grads[-1]


@function_exercise(work=4000)
def second_pass(second_pass, *, seed):
    """`second_pass(k, reset)` is the factor of two passes, for each policy and for chains of many lengths."""
    fine, random_depths = True, random.Random(seed or 7).sample(range(20, 300), 3)
    for reset, k in itertools.product(RESETS, (4, *range(13), *random_depths, 4)):
        text = f'second_pass({k}, "{reset}")'
        try:
            got = called(second_pass, k, reset, what=text)
        except NotAttempted:
            if fine:
                raise
            return None
        row = ("times", f"{factor(k, reset):g}", f"{got:.10g}")
        yield (test := make_result(f"It is wrong for the policy `{reset}`.", row, case=text))
        fine = fine and test.is_right
    return (
        "Right for chains of up to 300 nodes. Without any reset, a deep graph would multiply the gradients of its "
        "first nodes the most."
    )
