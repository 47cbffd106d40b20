"""The activation's gain is below ¼. Either the weights make up for it, or the gradient goes around it.

In the microscope choose sigmoid and move the gain up. Watch the activation's gain fall as the weights' gain rises: the
product passes 1 not at a weights' gain of 4, but near 10. Or switch *residual* on.
"""

sigmoid_survives = {"init": "normal", "gain": 2.0, "residual": False}
