"""What the phone has and keeps beside apps: time, display, battery, preferences, logs."""
