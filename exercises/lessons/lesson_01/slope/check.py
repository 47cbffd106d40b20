"""The check of `slope`."""

from exercises.judging.grading import exercise
from exercises.lessons.lesson_01.shared import as_code, at_x_itself, secants, until_raised
from exercises.verdicts.seen import seen


@exercise
def slope(slope, *, seed):
    """`slope(f, x, h)` is the slope of the line through f at x and at x + h."""
    tests = secants(f"slope {seed}" if seed else 1)
    right = [f.between(x, x + h) for f, x, h in tests]
    found, ended = until_raised(slope, "slope", tests)
    because = "the slope at x itself" if not ended and at_x_itself(found, tests) else ()
    if not ended and any(all(rounded(*pair, digits) for pair in zip(found, right)) for digits in range(7)):
        because = "rounded"
    for test, expected, got in zip(tests, right, found):
        yield seen("This slope is not right.", ("slope", expected, got), case=as_code("slope", *test), because=because)
    yield from ended
    return f"Right for {len(tests)} functions, rising and falling, and for a negative h too."


def rounded(found, right, digits):
    """Whether a number is the right one, rounded to so many decimals."""
    return found == round(found, digits) and abs(found - right) <= 0.51 * 10**-digits
