"""The interface of a phone for tools."""
