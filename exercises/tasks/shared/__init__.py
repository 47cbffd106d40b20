"""Code shared by the checks of several exercises."""
