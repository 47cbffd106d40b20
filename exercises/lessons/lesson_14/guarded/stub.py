def guarded(record, decide):
    """A function of x that gives record(x)(x), but records once for each answer of decide(x).

    record(x): runs f at x, and gives its program, a function of a number.
    decide(x): how the `if`s of f fall at x.
    """
    raise NotImplementedError
