"""The debugging clinic: training programs with a fault, and instruments that run their own parts.

A *patient* is a program in eight parts (data, make, batches, scores, loss, zero, update, measure), one of which a fault
has replaced. Because an instrument runs the patient's own parts, its reading is true for every patient, and there is no
end of new patients: each is a fault, sizes, a seed and a learning rate.
"""
