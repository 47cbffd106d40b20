"""For teachers: what a class has handed in, as learners × exercises. `python -m exercises report FOLDER`."""
