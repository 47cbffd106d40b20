"""A program is valid for every x at which f decides as it did when it was recorded. So store the programs under the
answers of decide(x).

Make one dict of programs in `guarded`. The function that you return looks there first, and if it finds none, it records
at the given x.
"""


def guarded(record, decide):
    """A function of x that gives record(x)(x), but records once for each decide(x).

    record(x): runs f at x; gives a program. decide(x): how the `if`s of f fall at x.
    """
    programs = {}

    def run(x):
        answer = decide(x)
        if answer not in programs:
            programs[answer] = record(x)
        return programs[answer](x)

    return run
