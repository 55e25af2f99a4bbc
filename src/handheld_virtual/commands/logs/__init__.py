"""The log: what writes and prints it."""
