def subtract(self, other):  # self - other
    raise NotImplementedError


def reflected_subtract(self, other):  # other - self
    raise NotImplementedError
