class Value:
    """A number of our own."""

    def __init__(self, data):
        self.data = data

    def __repr__(self):
        return f"Value(data={self.data:.4f})"

    def __add__(self, other):
        return Value(self.data + other.data)

    def __mul__(self, other):
        return Value(self.data * other.data)
