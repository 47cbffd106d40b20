def divide(self, other):  # self / other
    raise NotImplementedError


def reflected_divide(self, other):  # other / self
    raise NotImplementedError
