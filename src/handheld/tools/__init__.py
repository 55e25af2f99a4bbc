"""The tools, a toolset for each category."""

from .apps import apps
from .device import device
from .diagnostics import diagnostics
from .element import element
from .files import files
from .fleet import fleet
from .gesture import gesture
from .intents import intents
from .links import links
from .notifications import notifications
from .packages import packages
from .recording import recording
from .screen import screen
from .sms import sms
from .system import system
from .text import text
from .touch import touch
from .utility import utility

CATALOG = (screen, system, touch, gesture, element, text, utility, files, apps, sms)
"""In the order in which they are listed."""
EXTRA = (notifications, links, intents, packages, device, diagnostics, recording)
"""Those that are off unless the owner or the client switches them on."""
EVERY_TOOLSET = (*CATALOG, *EXTRA, fleet)
