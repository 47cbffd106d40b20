"""The passes of a graph, step by step, and what a lab asks before it shows them."""
