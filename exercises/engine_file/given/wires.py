# add
Value.__add__ = Sum.__add__  #: The method goes into Value itself: from now on Python calls it for +.

# multiply
Value.__mul__ = Product.__mul__  #: Python calls it for *.

# constants
Value.__add__ = lambda self, other: Sum.__add__(self, as_value(other))  #: For a plain number on the right: a + 2.
Value.__mul__ = lambda self, other: Product.__mul__(self, as_value(other))  #: The same for *.
Value.__radd__, Value.__rmul__ = reflected_add, reflected_multiply  #: The r stands for the right: Python calls these
#: where self stands there.

# subtract
Value.__sub__, Value.__rsub__ = subtract, reflected_subtract  #: Python calls them for -.

# divide
Value.__truediv__, Value.__rtruediv__ = divide, reflected_divide  #: Python calls them for /.

# rules
Value.__add__ = Arithmetic.__add__  #: It takes the place of the sum without a rule.
Value.__mul__ = Arithmetic.__mul__  #: It takes the place of the product without a rule.

# relu
Value.relu = Relu.relu  #: From now on any Value has it.

# functions
Value.exp, Value.log, Value.tanh = Functions.exp, Functions.log, Functions.tanh  #: And these.

# sigmoid
Value.sigmoid = Sigmoid.sigmoid  #: And the sigmoid, which is made of them.

# collect
Value.__add__, Value.__mul__ = Collecting.__add__, Collecting.__mul__

# topological_order
topological_order = lambda root: list(inputs_first(root))

# deep_order
inputs_first = deep_order  #: Exercise 1 asked for the same order, by a shorter way.
topological_order = lambda root: list(deep_order(root))  #: As a list, whatever kind of sequence it is.

# backward
Value.backward = backward  #: From now on any Value can be the root.

# accumulate
Value.backward = backward

# assemble
Tensor.__mul__, Tensor.__matmul__ = array_multiply, array_matmul
Tensor.sum, Tensor.__getitem__ = array_sum, array_rows
