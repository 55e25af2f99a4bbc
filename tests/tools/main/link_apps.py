"""Apps that take intents, for the tests of links and intents."""

from collections.abc import Mapping
from typing import Any, ClassVar

from handheld.app_formats.apk.manifest import Filter
from handheld_virtual.packages.app import LAUNCHED
from handheld_virtual.packages.service import Service, Start
from handheld_virtual.toolkit import Activity, App, Column, Receiver, Text, View

VIEW, DEFAULT = "android.intent.action.VIEW", "android.intent.category.DEFAULT"
BROWSABLE = "android.intent.category.BROWSABLE"
CAPTURE = "android.media.action.IMAGE_CAPTURE"
GUARD = "org.example.permission.GUARD"


class Shown(Activity):
    """Shows what it was given."""

    def content(self) -> View:
        given = ", ".join(f"{name}={value}" for name, value in sorted(self.extras.items()))
        return Column(Text(f"{self.app.label} shows", id="head"), Text(given, id="given"))


class Place(Shown):
    name = ".Place"


class Inside(Shown):
    name = ".Inside"
    exported = False


class Guarded(Shown):
    name = ".Guarded"
    permission = GUARD


class Sync(Service):
    name = ".Sync"
    filters = (Filter(("org.example.SYNC",)),)

    def start(self, start: Start) -> None:
        assert isinstance(self.app, Maps)
        self.app.told.append(("service", dict(start.extras)))


class Closed(Service):
    name = ".Closed"
    exported = False


class Noted(Receiver):
    name = ".Noted"
    filters = (Filter(("org.example.NOTE",)),)

    def receive(self, action: str, extras: Mapping[str, str]) -> None:
        assert isinstance(self.app, Maps)
        self.app.told.append((action, dict(extras)))


class Private(Receiver):
    name = ".Private"
    exported = False
    filters = (Filter(("org.example.PRIVATE",)),)


class Strict(Receiver):
    name = ".Strict"
    permission = GUARD
    filters = (Filter(("org.example.STRICT",)),)


class Dumped(Receiver):
    """Needs what adb's shell has."""

    name = ".Dumped"
    permission = "android.permission.DUMP"
    filters = (Filter(("org.example.DUMPED",)),)


class Maps(App):
    package, label = "org.example.maps", "Maps"
    screens = (Place, Inside, Guarded)
    services = (Sync, Closed)
    receivers = (Noted, Private, Strict, Dumped)
    filters: ClassVar[Mapping[str, tuple[Filter, ...]]] = {
        ".Place": (
            LAUNCHED,
            Filter((VIEW,), (DEFAULT, BROWSABLE), schemes=("geo",)),
            Filter((VIEW,), (DEFAULT, BROWSABLE), schemes=("https",), hosts=("maps.example",)),
            Filter((CAPTURE,), (DEFAULT,)),
        ),
    }

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        self.told: list[tuple[str, dict[str, str]]] = []


class Atlas(App):
    """Two of its activities take the same."""

    package, label = "org.example.atlas", "Atlas"
    screens = (Place, Inside)
    filters: ClassVar[Mapping[str, tuple[Filter, ...]]] = {
        ".Place": (LAUNCHED, Filter((VIEW,), (DEFAULT,), schemes=("atlas",))),
        ".Inside": (Filter((VIEW,), (DEFAULT,), schemes=("atlas",)),),
    }


class Forged(Shown):
    name = '.X\n"Bank" (com.bank) com.bank/.Pay default'


class Forger(App):
    package, label = "org.example.forger", "Forger"
    screens = (Forged,)
    filters: ClassVar[Mapping[str, tuple[Filter, ...]]] = {
        Forged.name: (LAUNCHED, Filter((VIEW,), (DEFAULT,), schemes=("f",))),
    }


class Walk(Shown):
    name = ".Walk"


class Hiking(App):
    package, label = "org.example.hiking", "Hiking"
    screens = (Walk,)
    filters: ClassVar[Mapping[str, tuple[Filter, ...]]] = {
        ".Walk": (LAUNCHED, Filter((VIEW,), (DEFAULT,), schemes=("geo",)))
    }
