"""The wrong engines that tests and checks are to tell apart: on numbers, on arrays, the exam's and the bug hunt's."""
