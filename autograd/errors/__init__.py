"""Messages about bad input, and the checks that raise them."""
