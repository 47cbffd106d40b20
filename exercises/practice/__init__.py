"""The gym: small graphs without end, whose wrong answers are named by the mistake that gives them."""
