"""`__init__` runs when Value(2.5) is called, with data = 2.5. Keep it on the object: the name before the dot is `self`.

`__repr__` returns a text. An f-string with `{self.data:.4f}` writes a number with four decimals.
"""


class Value:
    """A number of our own."""

    def __init__(self, data):
        self.data = data

    def __repr__(self):
        return f"Value(data={self.data:.4f})"
