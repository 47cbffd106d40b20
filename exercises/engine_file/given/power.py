def power(self, n):  # self ** n  #: A power with a plain number n as exponent.
    return Value(self.data**n, (self,), f"**{n}")  #: It remembers its one input. The exponent is no node.


Value.__pow__ = power  #: Python calls it for **.
Value.__neg__ = lambda self: self * -1  # -self  #: The opposite, a product with -1.
