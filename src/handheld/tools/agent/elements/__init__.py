"""Which element a model means, and what is done to it."""
