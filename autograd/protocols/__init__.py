"""What Python and NumPy ask of a node besides arithmetic: comparisons, conversions, text, copies."""
