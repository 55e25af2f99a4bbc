"""Packages that are installed: checked, kept, removed, answered for."""
