"""From fingers and keys to views."""
