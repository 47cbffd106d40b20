def array_multiply(self, other):  # self * other
    raise NotImplementedError


def array_matmul(self, other):  # self @ other
    raise NotImplementedError


def array_sum(self, axis=None, keepdims=False):
    raise NotImplementedError


def array_rows(self, rows):  # self[rows]
    raise NotImplementedError
