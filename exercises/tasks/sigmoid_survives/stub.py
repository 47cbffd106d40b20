sigmoid_survives = {"init": ..., "gain": ..., "residual": ...}
