"""Commands for the owner's preferences and switches."""
