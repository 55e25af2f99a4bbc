"""Finding problems, and the commands that fix them."""
