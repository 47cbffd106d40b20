"""The passes of a graph, step by step, and the questions that a lab asks before them."""
