"""Sites made of the course: static files that need no server of their own."""

TITLE = "Backpropagation from scratch"
