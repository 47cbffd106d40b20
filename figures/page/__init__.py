"""What plays in a page: the pen, the player, inputs, hosts, styles, saving; `browser` holds its JavaScript."""
