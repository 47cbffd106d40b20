"""The doctor: whether any file's scalar engine is right, and which mistakes explain what it gives."""
