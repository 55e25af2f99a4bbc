"""The apps of the virtual phone, one module each."""

from ..packages.app import App
from ..system.android import Android


def installed(android: Android) -> tuple[type[App], ...]:
    """In the order in which a list of packages names them."""
    from .browser import Browser
    from .calculator import Calculator
    from .clock import Clock
    from .clock_in import ClockIn
    from .contacts import ContactsApp
    from .crash_test import CrashTest
    from .files import FilesApp
    from .form import Form
    from .gallery import Gallery
    from .keeper import KeeperApp
    from .launcher import Launcher
    from .login import Login
    from .messages import Messages
    from .notes import Notes
    from .settings import SettingsApp
    from .system_parts import system_parts
    from .testbed import Headless, Testbed
    from .weather import Weather
    from .widgets import Widgets

    return (
        *(Launcher, Calculator, SettingsApp, Form, Testbed, Headless, KeeperApp, Gallery, Notes),
        *(Messages, FilesApp, ContactsApp, Login, ClockIn, Weather),
        *(Clock, Browser, Widgets, CrashTest),
        *system_parts(android),
    )
