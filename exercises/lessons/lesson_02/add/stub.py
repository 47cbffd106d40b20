def add(self, other):
    raise NotImplementedError
