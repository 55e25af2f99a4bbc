"""The phone's state beside apps: time, display, battery, preferences, logs."""
