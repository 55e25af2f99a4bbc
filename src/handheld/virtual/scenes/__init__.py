"""Scenes: what a phone is like when it is switched on."""
