"""What a Tensor needs besides its operations: messages, checks, and the parts of its backward pass."""
