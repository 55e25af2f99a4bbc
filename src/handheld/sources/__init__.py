"""Tools that come from the phone: its own apps declare them."""

from .app_tools import AppTools

__all__ = ["AppTools"]
