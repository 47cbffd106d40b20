"""What the checks of several exercises share."""
