"""At best the first softmax returns 1 for the target and 0 for the nine others. What does the second return for the
scores 1, 0, 0, …?

Its probability of the target is e / (e + 9). The loss is the negative logarithm of that.
"""

softmax_twice = math.log(1 + 9 / math.e)
