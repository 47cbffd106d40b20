"""Quizzes and recall: their data, and their widgets in a page."""
