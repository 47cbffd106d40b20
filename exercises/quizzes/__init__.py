"""Quizzes and recall: their data, and what plays in a page."""
