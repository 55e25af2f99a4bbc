"""Sessions, calls and their answers, as in Java's package of the same name."""
