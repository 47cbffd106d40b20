"""Computations of lessons and figures outside the engine: many networks at once, deep networks layer by layer."""
