"""The screen: screenshots, videos, dumps, size and input."""
