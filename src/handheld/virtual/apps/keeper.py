"""An app that runs from the start and is started again whenever it is killed, as a phone's own
telephony app is."""

from ..packages.app import App


class Keeper(App):
    package, label = "dev.handheld.keeper", "Keeper"
    version, version_code, system = "3.1.4", 314, True
    persistent = True
