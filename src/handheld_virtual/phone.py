"""A virtual phone: a world, a file tree, programs, and the adbd that serves it."""

from collections import deque
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from handheld.adb.keys import AdbPublicKey

from .boot import reboot
from .commands import all_programs
from .commands.system.machine import furnish_machine
from .commands.system.network import connections
from .faults import Faults
from .packages.app import App
from .packages.profiles import Profile
from .sh.process import Program
from .system.clock import Clock, RealClock
from .system.latency import SERVICE
from .system.processes import Processes
from .system.properties import fixed_properties
from .system.releases import DEFAULT_API
from .wire.adbd import AdbConnection, Adbd, Handler
from .wire.authority import Authority
from .wire.debugging_prompt import DebuggingPrompt
from .wire.devtools import DevTools
from .wire.forward import Sockets
from .wire.services import find_service
from .wire.stream import AdbStream
from .world import World

if TYPE_CHECKING:
    from .scenes.scene import Scene

OPENED, OPENED_LENGTH = 256, 1024
"""How many opened services are recorded, and how many characters of each name."""


class VirtualPhone:
    """A phone that is on from its creation, and reachable over adb between `start` and `aclose`."""

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        api: int = DEFAULT_API,
        width: int = 1080,
        height: int = 2400,
        density: int = 420,
        serial: str = "virtual",
        authorize: bool = False,
        model: str = "Handheld Virtual",
        other_user: int | None = None,
        foldable: bool = False,
    ) -> None:
        """`other_user` adds a work profile that the shell may not access; `foldable` adds an outer
        panel, which is off."""
        self.clock: Clock = clock or RealClock()
        self.world = World(clock=self.clock, api=api, width=width, height=height, density=density)
        self.world.foldable = foldable
        self.serial = serial
        self.device = "virtual"
        self.model = self.world.model = model
        self.world.preferences.put("global", "device_name", model)
        self.properties = fixed_properties(self.world.android, serial, self.device, model, density)
        self.files = self.world.files
        if other_user is not None:
            self.add_profile(Profile(other_user, "work", closed=True))
        self.programs: dict[str, Program] = all_programs()
        self.files.furnish_programs("/system/bin", self.programs)
        self.devtools = DevTools(self)
        furnish_machine(
            self.files,
            lambda: self.world.boot_id,
            self.clock.now,
            lambda: connections(self),
            self.devtools.table,
        )
        self.processes = Processes(self.world.pids)
        self.sockets = Sockets()
        self.sockets.others = self.devtools.find
        self.authority = Authority(authorize)
        DebuggingPrompt(self.world, self.authority)
        self.adbd = Adbd(self)
        self.world.preferences.watch("global", "adb_enabled", self._debugging_turned)
        self.faults = Faults(self)
        self.adb_over = ""
        """The network interface that adb uses; "" for a cable or an emulator's pipe."""
        self.opened: deque[str] = deque(maxlen=OPENED)
        """The services that adb clients have opened, the newest last."""
        self.host, self.port = "127.0.0.1", 0
        self.boot_ms = 0.0
        """How long the phone is unreachable while it reboots."""

    @classmethod
    def from_scene(
        cls,
        scene: "str | Path | Scene" = "default",
        *,
        clock: Clock | None = None,
        api: int | None = None,
        serial: str | None = None,
        authorize: bool | None = None,
    ) -> "VirtualPhone":
        """Create a phone from a scene: a built-in scene's name, a file, or a parsed scene. Other
        arguments take precedence over the scene. Raises SceneError."""
        from .scenes.scene import Scene
        from .scenes.staging import override, stage

        read = scene if isinstance(scene, Scene) else Scene.load(scene)
        read = override(read, api=api, serial=serial, authorize=authorize)
        phone = cls(
            clock=clock,
            api=read.api,
            width=read.width,
            height=read.height,
            density=read.density,
            serial=read.serial,
            authorize=read.authorize,
            model=read.model,
            other_user=read.second_user,
            foldable=read.foldable,
        )
        stage(phone, read)
        return phone

    def add_profile(self, profile: Profile) -> None:
        self.world.profiles[profile.user] = profile
        self.files.furnish(f"/storage/emulated/{profile.user}", 0o700)

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen for adb; `port` 0 takes any free one. Raises OSError."""
        self.port = await self.adbd.start(host, port)
        self.host = host

    @property
    def address(self) -> str:
        """HOST:PORT, as `adb connect` takes it."""
        return f"{self.host}:{self.port}"

    async def aclose(self) -> None:
        """Close every connection and terminate every program."""
        await self.adbd.aclose()
        await self.processes.aclose()

    async def __aenter__(self) -> "VirtualPhone":
        if not self.port:
            await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    @property
    def allowed_keys(self) -> frozenset[AdbPublicKey]:
        """The keys that authorization accepts."""
        return self.authority.allowed

    def allow(self, key: AdbPublicKey) -> None:
        """Allow a key, also for a connection that waits for it."""
        self.authority.allow(key)

    def install(self, app: type[App]) -> App:
        """Install a user-written app; see `toolkit`. Raises BadApp when something is missing."""
        from .packages.loading import check_app

        return self.world.install(check_app(app))

    def drop_connections(self) -> None:
        """Cut every adb connection, like a pulled cable."""
        self.adbd.drop()

    def set_zone(self, name: str, offset: timedelta) -> None:
        """Set the time zone, as the settings app does."""
        self.world.wall.set_zone(name, offset)
        self.properties["persist.sys.timezone"] = name

    def reboot(self) -> None:
        """Reboot with a new boot id: connections, programs and windows end; files and permanently
        allowed keys are kept."""
        self.adbd.close_also()
        self.drop_connections()
        for running in self.processes.all():
            self.processes.kill(running.pid)
        reboot(self.world)
        if self.boot_ms:
            self.adbd.away = True
            self.adbd.spawn(self._boot())

    async def _boot(self) -> None:
        await self.clock.sleep(self.boot_ms)
        self.adbd.away = not self._debugged

    @property
    def _debugged(self) -> bool:
        return self.world.preferences.is_on("global", "adb_enabled")

    def _debugging_turned(self, _: str | None) -> None:
        """Refuse connections while USB debugging is off."""
        self.adbd.away = not self._debugged
        if self.adbd.away:
            self.drop_connections()

    def kill(self, name: str) -> int:
        """Kill the programs with this name; return how many there were."""
        return self.processes.kill(name)

    @property
    def latency(self) -> str:
        """The latency profile: `none`, `phone` or `wifi`."""
        return self.world.latency.profile

    @latency.setter
    def latency(self, profile: str) -> None:
        self.world.latency.profile = profile

    # For adbd

    def banner(self, features: str) -> bytes:
        names = ("ro.product.name", "ro.product.model", "ro.product.device")
        pairs = "".join(f"{name}={_plain(self.properties[name])};" for name in names)
        return f"device::{pairs}features={features}".encode()

    def service(self, name: str, connection: AdbConnection) -> Handler | None:
        self.opened.append(name[:OPENED_LENGTH])
        handler = find_service(self, name, connection)
        late = self.world.latency.of(SERVICE)
        if handler is None or not late or not name.startswith(("shell", "exec")):
            return handler

        async def serve(stream: AdbStream) -> None:
            await self.clock.sleep(late)
            await handler(stream)

        return serve


def _plain(value: str) -> str:
    """Replace the banner's separators, and truncate the value."""
    return "".join("_" if char in ";=:" or ord(char) < 32 else char for char in value)[:64]
