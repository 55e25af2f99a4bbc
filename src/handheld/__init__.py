"""Handheld puts Android phones in an AI agent's hands, and in those of Python programs:

from handheld import Phone

with Phone.virtual() as phone:
    phone.open("Settings")
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import (
        ActionFailed,
        ElementNotFound,
        InvalidParams,
        PermissionDenied,
        TimedOut,
        ToolError,
    )
    from .library.failures import ExpectationFailed, PhoneClosed
    from .library.phone import AsyncPhone, Phone
    from .library.screen import Element, Picture, Screen

__version__ = "0.1.0"

__all__ = [
    "ActionFailed",
    "AsyncPhone",
    "Element",
    "ElementNotFound",
    "ExpectationFailed",
    "InvalidParams",
    "PermissionDenied",
    "Phone",
    "PhoneClosed",
    "Picture",
    "Screen",
    "TimedOut",
    "ToolError",
    "__version__",
]

_HOMES = {
    "AsyncPhone": "library.phone",
    "Element": "library.screen",
    "ExpectationFailed": "library.failures",
    "Phone": "library.phone",
    "PhoneClosed": "library.failures",
    "Picture": "library.screen",
    "Screen": "library.screen",
}
"""The others are errors."""


def __getattr__(name: str) -> object:
    """Import on first use: most programs of Handheld itself use none of these."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES.get(name, 'errors')}", __name__), name)


def __dir__() -> list[str]:
    return __all__
