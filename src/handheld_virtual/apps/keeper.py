"""A persistent app: it runs from boot and is restarted whenever it is killed, as Android's
telephony app is."""

from ..packages.app import App


class KeeperApp(App):
    package, label = "dev.handheld.keeper", "Keeper"
    version, version_code, system = "3.1.4", 314, True
    persistent = True
