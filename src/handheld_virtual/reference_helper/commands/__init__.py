"""The commands, as in Java's package of the same name."""
