"""The contacts app."""
