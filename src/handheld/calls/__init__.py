"""The tools as one kind of client sees them."""
