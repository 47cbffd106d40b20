"""What is c when a is 2? What is it when a is 3?

c is 2 + 3 at first, and 3 + 3 afterwards.
"""

first_answer = 1
