"""For authors of exercises: new ones, and what one still lacks."""
