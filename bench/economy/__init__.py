"""What the screens, lists and changes that a model reads cost it, and whether they are complete."""
