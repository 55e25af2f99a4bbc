"""Sharing a phone between processes: its owner serves the others."""
