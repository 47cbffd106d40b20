"""Tools for authors: commands, templates, and what a lab still lacks."""
