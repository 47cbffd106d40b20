"""For who writes exercises: new ones, and what one still lacks."""
