by_hand = {
    "z": ...,
    "output": ...,
    "loss": ...,
    "w.grad": ...,
    "b.grad": ...,
    "w.grad if b = -1.3": ...,
}
