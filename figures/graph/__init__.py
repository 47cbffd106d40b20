"""A graph as a picture: read, laid out, folded, drawn; networks; the stage that labs share; PyTorch's own graph."""
