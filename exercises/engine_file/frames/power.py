def power(self, n):  # self ** n
    return Value(self.data**n, (self,), f"**{n}")


Value.__pow__ = power
Value.__neg__ = lambda self: self * -1  # -self
