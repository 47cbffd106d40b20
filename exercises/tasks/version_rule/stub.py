def version_rule(rule, inputs):
    """A rule that does what `rule` does; but RuntimeError if an input has changed.

    rule: a function without arguments. inputs: Values, each with a `version`.
    """
    raise NotImplementedError
