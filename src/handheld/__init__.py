"""Handheld puts Android phones in an AI agent's hands."""

__version__ = "0.1.0"
