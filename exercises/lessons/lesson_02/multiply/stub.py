class Product(Value):
    def __mul__(self, other):
        raise NotImplementedError
