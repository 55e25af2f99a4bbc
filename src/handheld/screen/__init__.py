"""Screens as values: trees, text, ids, pictures. Pure; imports no other package of Handheld."""
