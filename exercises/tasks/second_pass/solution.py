"""Take k = 2 and fill in a table by hand: what is in the root, in each node in between and in the leaf after the first
pass, and then after the second.

Under `nothing` the root has 1 in the second pass, the next node 1 + 1 = 2, the one after it 1 + 2 = 3. The leaf is one
step further. Under the other two policies every node in between has 1 in both passes; what is in the leaf before the
second?
"""


def second_pass(k, reset):
    """How many times its gradient the leaf holds after two passes."""
    if reset == "all":
        return 1
    if reset == "intermediates":
        return 2
    if reset == "nothing":
        return k + 2
