"""The options, and reading them. Only this package reads the environment."""

from .address import is_loopback, split_address
from .declaration import Option
from .folders import PLACES, Folders
from .options import VIRTUAL, Settings, options
from .reading import SettingsError, load, unknown_variables

__all__ = [
    "PLACES",
    "VIRTUAL",
    "Folders",
    "Option",
    "Settings",
    "SettingsError",
    "is_loopback",
    "load",
    "options",
    "split_address",
    "unknown_variables",
]
