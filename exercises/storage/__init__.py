"""A learner's progress on disk, and the small files that it is kept in."""
