"""Calls from several clients while everything around the server fails, and a count of what the
phones really did."""
