"""Screens as values: trees, text, ids, pictures. Pure; imports nothing of ours."""
