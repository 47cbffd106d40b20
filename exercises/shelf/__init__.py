"""Content on disk: the list of lessons, each exercise's stub and solution, a learner's progress."""
