"""The phone's file tree."""
