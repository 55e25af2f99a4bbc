"""Finding the element that a model means, and acting on it."""
