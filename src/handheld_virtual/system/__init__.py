"""The phone's state outside apps: time, display, battery, preferences, logs."""
