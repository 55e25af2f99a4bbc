"""The home screen and the recent apps."""
