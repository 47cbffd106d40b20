"""What the lessons are made of: their list, and the stubs, solutions, hints and known mistakes of exercises."""
