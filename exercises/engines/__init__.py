"""The wrong engines that tests and checks have to detect: on numbers, on arrays, the exam's and the bug hunt's."""
