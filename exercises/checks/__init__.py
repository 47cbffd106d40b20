"""The checks of each lesson, in a module of its own; `exercises.check` is the way to them."""
