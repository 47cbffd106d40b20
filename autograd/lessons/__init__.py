"""What lessons and figures compute with beside the engine: many networks at once, deep networks layer by layer."""
