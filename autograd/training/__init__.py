"""Networks, losses and optimizers, for Values and for Tensors."""
