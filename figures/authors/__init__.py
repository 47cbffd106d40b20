"""For who adds to the course: commands, templates, and what a lab still lacks."""
