"""The apps of the virtual phone. A test can set and check their content:

notes = world.apps[Notes.package]
assert isinstance(notes, Notes)
notes.notes.append(Note("Tea", "green"))
"""

from ..packages.app import App
from ..system.android import Android
from .browser import STORIES, Browser
from .calculator import Calculator, CalculatorScreen
from .clock import Clock, ClockScreen
from .clock_in import ClockIn
from .contacts.app import Contact, ContactsApp, ContactScreen
from .contacts.people import everybody
from .crash_test import CrashTest
from .files.app import FilesApp
from .form import ContactForm, Form
from .gallery import Gallery
from .keeper import KeeperApp
from .launcher.app import Launcher
from .login import CAMERA, AccountScreen, Login
from .messages.app import Messages
from .notes.app import Notes
from .notes.note import Note
from .settings.app import SettingsApp
from .system_parts import system_parts
from .weather import Weather
from .widgets import Widgets

__all__ = [
    "CAMERA",
    "STORIES",
    "AccountScreen",
    "CalculatorScreen",
    "Clock",
    "ClockScreen",
    "Contact",
    "ContactForm",
    "ContactScreen",
    "Login",
    "Note",
    "Notes",
    "everybody",
]


def installed(android: Android) -> tuple[type[App], ...]:
    """The built-in apps, in the order of package lists."""
    return (
        *(Launcher, Calculator, SettingsApp, Form, KeeperApp, Gallery, Notes),
        *(Messages, FilesApp, ContactsApp, Login, ClockIn, Weather),
        *(Clock, Browser, Widgets, CrashTest),
        *system_parts(android),
    )
