"""The course as a whole: its map, its glossary, folded cells, the self-test, and PyTorch next to it."""
