"""A program is good for every x at which f decides as it did when it was written down. So keep the programs by what
decide(x) answers.

A dict of programs, made once in `guarded`; the function that you return looks there first, and records at the x it
was given where it finds none.
"""


def guarded(record, decide):
    """A function of x that gives record(x)(x), but records once for each answer of decide(x).

    record(x): runs f at x, and gives its program, a function of a number.
    decide(x): how the `if`s of f fall at x.
    """
    programs = {}

    def run(x):
        answer = decide(x)
        if answer not in programs:
            programs[answer] = record(x)
        return programs[answer](x)

    return run
