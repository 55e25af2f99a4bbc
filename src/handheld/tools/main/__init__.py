"""The tools, a toolset for each category."""

from .apps import apps
from .camera import camera
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
from .personal import personal
from .recording import recording
from .screen import screen
from .sms import sms
from .system import system
from .text import text
from .touch import touch
from .utility import utility
from .web import web, web_scripts

CATALOG = (screen, system, touch, gesture, element, text, utility, files, apps, sms)
"""All toolsets, in the order of listing."""
EXTRA = (
    *(notifications, links, intents, packages, device, diagnostics),
    *(web, web_scripts, recording, personal, camera),
)
"""The toolsets that are off unless the owner or the client switches them on."""
EVERY_TOOLSET = (*CATALOG, *EXTRA, fleet)
