"""The reference helper: what the program on a real phone does, done to a world."""
