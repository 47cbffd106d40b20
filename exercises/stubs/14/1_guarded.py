def guarded(record, decide):
    """A function of x that gives record(x)(x), and calls `record` once for each answer that decide(x) has.

    record(x): runs f at x, and gives its program, a function of a number. decide(x): how the `if`s of f fall at x.
    """
    raise NotImplementedError
