"""Parsers of what Android prints."""
