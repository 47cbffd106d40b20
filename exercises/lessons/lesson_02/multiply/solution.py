"""It differs from the `__add__` of `Sum` in two characters only.

One is the operation on the numbers, the other the sign that is kept.
"""


class Product(Value):  #: The same once more, for *.
    def __mul__(self, other):  #: self * other, where both are Values.
        return Value(self.data * other.data, (self, other), "*")  #: The product, which remembers its two inputs.
