"""`__init__` runs when Number(2.5) is called, with data = 2.5. Keep it on the object: before the dot stands `self`.

`__repr__` returns a text. An f-string with `{self.data:.4f}` writes a number with four decimals.
"""


class Number:
    """A number of our own."""

    def __init__(self, data):
        self.data = data

    def __repr__(self):
        return f"Value(data={self.data:.4f})"
