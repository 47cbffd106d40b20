by_hand = {
    "z": ...,
    "loss": ...,
    "w.grad": ...,
    "b.grad": ...,
}
