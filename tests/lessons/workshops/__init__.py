"""What the workshops say, held by tests."""
