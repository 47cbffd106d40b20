"""The content of lessons: their list, and the stubs, solutions, hints and known mistakes of exercises."""
