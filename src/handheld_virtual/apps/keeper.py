"""A persistent app, which runs from boot and is restarted after a kill, like Android's telephony
app."""

from ..packages.app import App


class KeeperApp(App):
    package, label = "dev.handheld.keeper", "Keeper"
    version, version_code, system = "3.1.4", 314, True
    persistent = True
