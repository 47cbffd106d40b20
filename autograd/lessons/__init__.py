"""What lessons and figures compute besides the engine: many networks at once, deep networks layer by layer."""
