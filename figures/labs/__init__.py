"""Live figures, one module each: a recorder, a renderer and controls."""
