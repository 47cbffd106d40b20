"""How answers are judged: the check of an exercise, and tests run against wrong engines."""
