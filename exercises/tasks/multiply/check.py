"""The check of `multiply`: the results of as_value, then products, with numbers on either side, and their records."""

from exercises.engine_file import parts
from exercises.judging.vocabulary import all_right, exercise, needs_functions, needs_methods
from exercises.tasks.shared.nodes import handed_back, leaves_made, records, right_numbers

KINDS = "*", "v*n", "n*v"


@exercise(determinism="more")
def multiply(as_value, Product, *, engine, seed):
    """`as_value`, then `a * b`, `a * 2` and `2 * a`: new Values that keep their inputs and the operator's symbol."""
    needs_functions(as_value=as_value)
    needs_methods(parts.BY_NAME["multiply"], Product)
    Value = engine.Value
    if not (yield from all_right([*leaves_made(Value, as_value, seed), *handed_back(Value, as_value)])):
        return None
    done = yield from right_numbers(Value, KINDS, seed, "as_value is right. ")
    yield from records(Value, done, "as_value is right, and so is every product. ")
    return (
        f"{len(done)} products, with whole numbers and decimals on either side. In a * a the record contains a twice."
    )
