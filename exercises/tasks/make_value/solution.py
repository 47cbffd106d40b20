"""`__init__` runs when Number(2.5) is called, with data = 2.5. Keep it on the object: before the dot stands `self`.

`__repr__` returns a text. An f-string with `{self.data:.4f}` writes a number with four decimals.
"""


class Number:  #: The least that a number of one's own needs.
    """A number of our own."""

    def __init__(self, data):  #: Python calls this when Number(2.5) is written.
        self.data = data  #: The number itself.

    def __repr__(self):  #: What a notebook shows for it.
        return f"Value(data={self.data:.4f})"  #: The number, with four decimals.
