"""The messages app."""
