"""Two moments matter: now, when the operation runs, and later, when its rule is called. What do you have to store now?

A list of the versions, made before the inner function. The inner function compares first, and calls `rule` only if
every version is the stored one.
"""


def version_rule(rule, inputs):
    """A rule that does what `rule` does; but RuntimeError if an input has changed.

    rule: a function without arguments. inputs: Values, each with a `version`.
    """
    versions = [input.version for input in inputs]

    def _backward():
        for input, version in zip(inputs, versions):
            if input.version != version:
                raise RuntimeError(f"{input!r} was changed: version {input.version}, expected {version}.")
        rule()

    return _backward
