"""Start with a healthy part, and make it wrong in a way that costs little: then the curve does not show it.

Does each number that should be set to 0 become 0? Does the test stay apart? Does each row count? Does the optimizer do
all of what it should, and nothing more?
"""


def zero(layers, optimizer):
    for w, _ in layers:
        w.grad = np.zeros(w.data.shape)  # and the biases?


my_fault = zero
