"""The debugging clinic: training programs with a fault, and instruments that run their own parts.

A *patient* is a program in eight parts (data, make, batches, scores, loss, zero, update, measure), of which a fault has
replaced one. Because an instrument runs the patient's parts, its reading is true for every patient, and patients can be
made anew without end: a fault, sizes, a seed and a rate.
"""
