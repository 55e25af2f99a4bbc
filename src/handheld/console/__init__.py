"""The console: a web page for the owner of the phones."""

from .app import Console
from .context import ConsoleContext

__all__ = ["Console", "ConsoleContext"]
