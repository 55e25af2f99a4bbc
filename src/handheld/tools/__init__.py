"""The tools, a toolset for each category."""

from .apps import apps
from .element import element
from .files import files
from .fleet import fleet
from .gesture import gesture
from .screen import screen
from .sms import sms
from .system import system
from .text import text
from .touch import touch
from .utility import utility

CATALOG = (screen, system, touch, gesture, element, text, utility, files, apps, sms)
"""In the order in which they are listed."""
OPTIONAL = (fleet,)
"""Those that are off unless the owner switches them on."""
EVERY_TOOLSET = (*CATALOG, *OPTIONAL)
