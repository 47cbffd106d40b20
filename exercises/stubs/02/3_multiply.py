def multiply(self, other):
    raise NotImplementedError


Value.__mul__ = multiply
