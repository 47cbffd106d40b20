"""How an answer is judged: the check of an exercise, and tests set against wrong engines."""
