"""Write σ(z) = 1 / (1 + e⁻ᶻ) with Values throughout: `-self` is a Value, and a Value has `.exp()`.

`1 + …` and `1 / …` work on Values too, since lesson 02. So one line is enough, and no `_backward` is needed.
"""


class Sigmoid(Value):  #: A function made of others.
    def sigmoid(self):  #: Bends any number into 0 … 1.
        return 1 / (1 + (-self).exp())  #: Each of its steps has a rule, so it needs none.
