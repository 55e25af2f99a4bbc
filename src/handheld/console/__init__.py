"""The console: a web page for the person whose phone it is."""

from .app import Console
from .desk import Desk

__all__ = ["Console", "Desk"]
