"""Tools that apps on the phone declare."""
