"""Packages: `pm`, installing, and what apps offer to others."""
