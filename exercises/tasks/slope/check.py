"""The check of `slope`: secants of random polynomials, whose slopes are known without subtracting two values."""

from exercises.judging.vocabulary import exercise
from exercises.tasks.shared.slopes import secants, slopes


@exercise
def slope(slope, *, seed):
    """`slope(f, x, h)` is the slope of the line through f at x and at x + h."""
    tests = secants(f"slope {seed}" if seed else 1)
    right = [f.between(x, x + h) for f, x, h in tests]
    yield from slopes("slope", slope, tests, right, "This slope is wrong.", rounds=True)
    return f"Right for {len(tests)} functions, rising and falling, and for a negative h too."
