"""The owner's preferences and switches, from the shell."""
