"""What Python and NumPy ask of a node beside arithmetic: comparisons, conversions, text, copies."""
