try:
    import numpy as np
except ImportError:  # without NumPy there are no Tensors; all else works
    np = None
