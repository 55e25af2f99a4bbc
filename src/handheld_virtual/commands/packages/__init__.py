"""Packages: `pm`, installing, content providers and app functions."""
