class MatrixProduct(Tensor):
    def __matmul__(self, other):  # self @ other
        raise NotImplementedError
