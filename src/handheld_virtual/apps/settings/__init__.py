"""The settings app."""
