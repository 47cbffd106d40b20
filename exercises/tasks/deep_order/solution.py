"""A call that waits remembers two things: its node, and which of the node's inputs are still to come. Keep such pairs
in your own list. `iter(node._prev)` remembers which inputs are still to come.

While the list is not empty, look at its last pair. If its node has an input that was not visited, mark that input and
put its pair on the list. If it has none left, append the node to the order and remove its pair. A `for` over an
iterator continues where it stopped; its `else` runs when nothing is left.
"""


def deep_order(root):  #: The order in which nodes can be computed: leaves first.
    """Every node that `root` depends on, then `root`; inputs first, at any depth."""
    order, visited, waiting = [], {root}, [(root, iter(root._prev))]  #: The list to be made; the nodes met so far; and
    #: those that wait, each with those of its inputs that are still to come.
    while waiting:  #: Until no node waits any more.
        node, inputs = waiting[-1]  #: Look at the newest of them. It goes on waiting.
        for input in inputs:  #: Its inputs, from where the search last left off: an iterator remembers that.
            if input not in visited:  #: A node that was met before is passed over. Nodes are compared, not numbers.
                visited.add(input)  #: Met now.
                waiting.append((input, iter(input._prev)))  #: It comes first, so it goes on top, and the node waits.
                break  #: On to the new node.
        else:  #: Of a `for`: run where no `break` was. No input is left.
            order.append(node)  #: All inputs stand in the list, so the node may.
            waiting.pop()  #: It waits no more.
    return order  #: The root is the last that was appended.
