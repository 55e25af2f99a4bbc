"""Scenes: the initial state of a phone."""
