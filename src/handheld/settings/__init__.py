"""What can be set, and how it is read. The only reader of the environment."""

from .address import is_loopback, split_address
from .options import PLACES, VIRTUAL, Option, Settings, options
from .reading import SettingsError, load, unknown_variables

__all__ = [
    "PLACES",
    "VIRTUAL",
    "Option",
    "Settings",
    "SettingsError",
    "is_loopback",
    "load",
    "options",
    "split_address",
    "unknown_variables",
]
