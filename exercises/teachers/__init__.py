"""For teachers: reports on what was handed in, the lessons for nbgrader."""
