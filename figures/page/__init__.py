"""Figures in a page: the pen, the player, inputs, hosts, styles; `browser` holds the JavaScript."""
