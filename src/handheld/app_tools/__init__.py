"""Tools that apps on the phone declare."""

from .app_tools import AppTools

__all__ = ["AppTools"]
