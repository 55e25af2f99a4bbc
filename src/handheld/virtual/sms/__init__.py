"""SIMs and short messages."""
