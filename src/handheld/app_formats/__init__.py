"""Formats of Android packages, and of the tools that apps declare in them."""
