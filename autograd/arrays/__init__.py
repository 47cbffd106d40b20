"""The parts of a Tensor other than its operations: messages, checks and steps of its backward pass."""
