"""The console: a web page for the owner of the phones."""

from .app import Console
from .context import ConsoleContext
from .process_site import process_site
from .screen_stream import ConsoleScreens

__all__ = ["Console", "ConsoleContext", "ConsoleScreens", "process_site"]
