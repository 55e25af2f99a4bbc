"""Notifications: listing them, and acting on what was listed."""
