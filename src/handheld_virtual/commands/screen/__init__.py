"""The screen: pictures, its tree, its size, and input on it."""
