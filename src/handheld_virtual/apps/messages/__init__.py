"""The app for messages."""
