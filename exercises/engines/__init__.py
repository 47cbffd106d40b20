"""The wrong engines that tests and checks are to tell apart: on numbers, on arrays, and those held out."""
