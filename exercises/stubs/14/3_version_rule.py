def version_rule(rule, inputs):
    """A rule that does what `rule` does; but if the `version` of an input is no longer what it is now, RuntimeError.

    rule: a function without arguments. inputs: Values, each with a `version`, which is raised whenever data is set.
    """
    raise NotImplementedError
