def multiply(self, other):
    raise NotImplementedError
