"""The phone's state apart from apps: time, display, battery, preferences, logs."""
