class Sigmoid(Value):
    def sigmoid(self):
        raise NotImplementedError
