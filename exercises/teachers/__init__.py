"""For teachers: reports on handed-in work, the lessons for nbgrader."""
