"""The console: a web page for the person whose phone it is."""

from .app import Console
from .context import ConsoleContext

__all__ = ["Console", "ConsoleContext"]
