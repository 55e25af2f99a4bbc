"""The phone on which both sides run the same command lines: its packages, and what they declare."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from handheld.app_formats.apk.manifest import Component, Filter, Manifest, ManifestKind
from handheld_virtual.commands.dumpsys.records import Records
from handheld_virtual.commands.packages.package_lists import GROUPS, LIBRARIES
from handheld_virtual.packages.app import LAUNCHED, Activity, App
from handheld_virtual.packages.installing.installed import apk_paths
from handheld_virtual.packages.permissions import runtime_permissions
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.hardware import HARDWARE
from handheld_virtual.toolkit import Text
from handheld_virtual.views.view import View

PLAYER, SYSTEM, OFF = "org.words.player", "org.words.system", "org.words.off"
LAUNCHER = "com.android.launcher3"
DEFAULT = "android.intent.category.DEFAULT"
RECORD = r"(?m)^ *(?:NotificationRecord|uid=|flags=|pri=|key=|extras=|android\.t|\}$|mCrea).*\n"
"""The lines about a notification that are compared."""


class JumpingClock:
    """Time passes while a command waits, and only then."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    async def sleep(self, ms: float) -> None:
        self._now += ms


class Main(Activity):
    def content(self) -> View:
        return Text("Words")


class Seen(Main):
    pass


class Player(App):
    """An app of the owner's, with components of every kind."""

    package, label, version_code = PLAYER, "Player", 7
    screens = (Main, Seen)
    filters: ClassVar[Mapping[str, tuple[Filter, ...]]] = {
        ".Main": (LAUNCHED, Filter(("org.words.BOTH",), (DEFAULT,))),
        ".Seen": (Filter(("org.words.SEE",), (DEFAULT,)), Filter(("org.words.BOTH",), (DEFAULT,))),
    }
    permissions = ("android.permission.CAMERA", "android.permission.INTERNET")

    @property
    def manifest(self) -> Manifest:
        def component(kind: ManifestKind, name: str, *actions: str, **more: object) -> Component:
            filters = tuple(Filter((action,), (DEFAULT,)) for action in actions)
            made = Component(kind, f"{PLAYER}.{name}", exported=True, filters=filters)
            return replace(made, **more)

        declared = super().manifest
        return replace(
            declared,
            components=(
                *declared.components,
                component(ManifestKind.ACTIVITY, "Hidden", exported=False),
                component(ManifestKind.ACTIVITY, "Sealed", permission="org.words.GUARD"),
                component(ManifestKind.SERVICE, "Open", "org.words.SERVE"),
                component(ManifestKind.SERVICE, "Closed", exported=False),
                component(ManifestKind.SERVICE, "Guarded", permission="org.words.GUARD"),
                component(ManifestKind.RECEIVER, "Ear", "org.words.HEAR"),
            ),
        )


class System(App):
    package, label, version_code, system = SYSTEM, "System", 34, True


class Off(App):
    package, label = OFF, "Off"


def new_phone(api: int) -> VirtualPhone:
    phone = VirtualPhone(clock=JumpingClock(), api=api)
    world = phone.world
    for name in [name for name in world.apps if name != LAUNCHER]:
        del world.apps[name]
    for kind in (Player, System, Off):
        world.install(kind)
    world.disabled_packages.add(OFF)
    # Their uids, whatever else a phone comes with.
    world.running._uids.clear()
    for name in sorted(world.apps):
        world.running.uid(world.apps[name])
    return phone


def facts(phone: VirtualPhone) -> list[tuple[str, ...]]:
    """The phone's packages and features, as Android's services are to know them."""
    world = phone.world
    groups = {
        f"android.permission.{name}": f"android.permission-group.{group}"
        for group, names in GROUPS.items()
        for name in names
    }
    records = Records(world)
    screen = (0, 0, world.width, world.height)
    return [
        (
            *("+task", f"{LAUNCHER}/{world.front.class_name}"),
            *(",".join(map(str, edges)) for edges in (screen, records.app_box)),
            ",".join(map(str, (*records.sizes_dp, world.density))),
        ),
        *(
            (
                *("+package", name, str(world.running.uid(app)), str(int(app.system))),
                *(str(int(name not in world.disabled_packages)), str(app.version_code), ""),
                str(int(not world.running.pids(name))),
                *(",".join(apk_paths(world, app)), app.label),
                *(str(app.manifest.min_sdk), str(app.manifest.target_sdk)),
            )
            for name, app in sorted(world.apps.items())
        ),
        ("+feature", "", "0x30002"),
        *(("+feature", name) for name in HARDWARE),
        *(("+library", name) for name in LIBRARIES),
        *(
            ("+permission", name, groups.get(name, ""))
            for name in sorted(runtime_permissions(world.android))
        ),
    ]


def without_identity(text: str) -> str:
    """A dump without what identifies one run: the object, its time, an app's flags."""
    text = re.sub(r"Record\(0x[0-9a-f]{8}", "Record(0x…", text)
    text = re.sub(r"(uid=\d+ flags)=0x[0-9a-f]+", r"\1=…", text)
    return re.sub(r"mCreationTimeMs=\d+", "mCreationTimeMs=…", text)
