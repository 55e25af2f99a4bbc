"""Opens the phones that the settings ask for."""

import logging
import os
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from ..adb.keys import load_keys
from ..adb.link import AdbError, Link
from ..adb.server import AdbServer
from ..clock import SYSTEM_CLOCK, Clock
from ..driver import Driver
from ..driver.by_adb.left_file import read_left
from ..helper.claim import PhoneClaims
from ..phone.files.download import DownloadRules
from ..phone.files.files import Files
from ..phone.files.storage import Location, StorageFile
from ..phone.identity import Identities, PhoneIdentity
from ..phone.personal.sms import Sms
from ..phone.personal.sms_rules import SentParts, SmsRules
from ..phone.phone import Phone
from ..phone.screen.ref_letters import RefLetters
from ..phone.screen.refs import Refs
from ..phone.screen.screen_log import ScreenLog
from ..settings import VIRTUAL, Settings, split_address
from . import Devices, Notify
from .combined import CombinedDevices
from .direct import ALLOW_SECONDS, DirectDevice, TcpEndpoint
from .ownership import Owners
from .tracked import TrackedDevices
from .virtual_process import VirtualEndpoint

if TYPE_CHECKING:
    from ..phone.apps.package_files import PackageRules
    from ..phone.device.settings_backup import SettingsBackup
    from ..phone.memory import PhoneMemory

_SERVER_SECONDS = 1.0

log = logging.getLogger("handheld")


async def open_devices(
    settings: Settings,
    notify: Notify,
    clock: Clock = SYSTEM_CLOCK,
    offered: Sequence[Location] = (),
    claims: PhoneClaims | None = None,
    virtual_serial: str = "",
) -> Devices:
    """Open the chosen phones: `virtual` starts a virtual phone, an address is connected directly
    unless the adb server already has that phone, and all others come from the adb server.

    `offered` are storage locations in addition to those of the owner's file. `claims` are the
    claims through which a host of a fleet uses its phones, and `virtual_serial` is the serial of
    its virtual phone.
    """
    factory = PhoneFactory(settings, offered, claims)
    slugs = {name: settings.slug_of(name) for name in settings.phones or ("",)}
    addresses = {name: split_address(name) for name in settings.phones}
    direct = [
        name
        for name in addresses
        if addresses[name] and not await server_has(settings, name, clock)
    ]
    members: list[Devices] = []
    from_server: dict[str, str] = {}
    for name, slug in slugs.items():
        address = addresses.get(name)
        # Storage locations use this name for a virtual phone, whose serial changes at every start.
        make_phone = partial(factory.make_phone, also=(name,))
        if name == VIRTUAL:
            endpoint = VirtualEndpoint(notify, clock, settings.scene, virtual_serial)
            members.append(DirectDevice(endpoint, partial(make_phone, ours=True), notify, slug))
        elif address and name in direct:
            endpoint = tcp_endpoint(settings, name, clock)
            members.append(DirectDevice(endpoint, make_phone, notify, slug))
        else:
            from_server[name] = slug
    if from_server:
        server = AdbServer(*settings.adb_address, clock=clock)
        owned_elsewhere = partial(_owner_of, Owners(settings.folders.owners))
        only = [name for name in from_server if name]
        members.append(
            TrackedDevices(server, only, factory.make_phone, notify, from_server, owned_elsewhere)
        )
    return members[0] if len(addresses) < 2 else CombinedDevices(members)


def tcp_endpoint(
    settings: Settings,
    name: str,
    clock: Clock = SYSTEM_CLOCK,
    allow_within: float = ALLOW_SECONDS,
) -> TcpEndpoint:
    """The endpoint of a phone that is chosen by its address."""
    address = split_address(name)
    assert address is not None, "callers pass addresses only"
    keys = partial(load_keys, settings.folders.state)
    return TcpEndpoint(*address, keys, clock, allow_within)


class PhoneFactory:
    """Creates Phone objects for links, and remembers each phone across connections."""

    def __init__(
        self,
        settings: Settings | None = None,
        offered: Sequence[Location] = (),
        claims: PhoneClaims | None = None,
    ) -> None:
        """Without settings, tools have no access to files."""
        self._settings = settings
        self._claims = claims or PhoneClaims()
        self._storage = settings and StorageFile(settings.folders.storage, offered)
        self._letters = RefLetters(settings and settings.folders.ref_letters)
        self._memories: dict[str, PhoneMemory] = {}
        self._sent: dict[str, SentParts] = {}
        """By hardware identity: a second serial does not double the number of messages that may be
        sent."""
        self._identities = Identities()

    @cached_property
    def _originals(self) -> "SettingsBackup":
        from ..phone.device.settings_backup import SettingsBackup

        return SettingsBackup(self._settings and self._settings.folders.originals)

    @cached_property
    def _virtual_originals(self) -> "SettingsBackup":
        """A virtual phone is a new phone at every start."""
        from ..phone.device.settings_backup import SettingsBackup

        return SettingsBackup()

    def make_phone(self, link: Link, also: Collection[str] = (), *, ours: bool = False) -> Phone:
        """`also` are further names that storage locations may use for the phone. `ours` means that
        this program started it."""
        # Slow to import: a server's first reply does not wait for the phone modules.
        from ..driver.fallback import FallbackDriver
        from ..helper.client import HelperClient

        serial = link.serial

        def greeted(hello: Mapping[str, Any]) -> bool:
            if hello.get("put_back"):
                log.warning("%s: a killed helper had left a text in the clipboard.", serial)
            return booted(str(hello.get("boot_id", "")), str(hello.get("left", "")))

        def booted(boot: str, left: str) -> bool:
            """Record the boot id. Returns whether the phone has restarted since the previous
            one."""
            if left:
                phone.found_left(read_left(left))
            restarted = memory.boot not in (None, boot)
            if restarted:
                phone.restarted()
            memory.boot = boot
            return restarted

        async def sent() -> SentParts:
            return self._sent.setdefault(await identify() or serial, SentParts())

        async def identify() -> str:
            await identity.read()
            return identity.single

        memory = self._memory(serial)
        claim = self._claims.of(serial)
        client = HelperClient(link, greeted=greeted, claim=claim, identify=identify)
        wake = self._settings is None or self._settings.wake
        driver = FallbackDriver(client, wake=wake, booted=booted)
        identity = PhoneIdentity(
            driver, serial, self._identities, name=next(iter(also), ""), ours=ours
        )
        names = (serial, *also)
        phone = Phone(
            serial,
            driver,
            clock=link.clock,
            memory=memory,
            files=self._files(driver, link.clock, names),
            sms=Sms(driver, link.clock, self._sms_rules(), sent),
            identity=identity,
            claim=claim,
            originals=self._virtual_originals if VIRTUAL in also else self._originals,
            package_rules=self._package_rules(),
        )
        return phone

    def _memory(self, serial: str) -> "PhoneMemory":
        from ..phone.memory import PhoneMemory
        from ..phone.video.recorder import VideoRecorder

        if serial not in self._memories:
            settings = self._settings
            self._memories[serial] = PhoneMemory(
                screens=ScreenLog(Refs(self._letters)),
                recorder=VideoRecorder()
                if settings is None
                else VideoRecorder(settings.folders.recordings, settings.recording.most_mb),
            )
        return self._memories[serial]

    def _package_rules(self) -> "PackageRules":
        from ..phone.apps.package_files import PackageRules

        if self._settings is None:
            return PackageRules()
        packages = self._settings.packages
        return PackageRules(packages.folders, packages.size_limit_mb)

    def _sms_rules(self) -> SmsRules:
        if self._settings is None:
            return SmsRules()
        sms = self._settings.sms
        return SmsRules(
            frozenset(sms.subscriptions), sms.allow, sms.block, sms.parts_per_minute, sms.dry_run
        )

    def _files(self, driver: Driver, clock: Clock, names: Collection[str]) -> Files | None:
        settings = self._settings
        if settings is None or self._storage is None:
            return None
        slugs = {settings.slug_of(name) for name in names} - {""}
        download = settings.download
        rules = DownloadRules(
            settings.files.size_limit_mb,
            download.allow_http,
            download.allow_unverified_https,
            download.allow_private_addresses,
            download.timeout_seconds,
        )
        return Files(driver, clock, self._storage, {*names, *slugs}, rules)


def _owner_of(owners: Owners, serial: str) -> str:
    """The other process of this user that owns this phone."""
    own = os.getpid()
    found = (
        str(entry) for entry in owners.entries() if serial in entry.phones and entry.pid != own
    )
    return next(found, "")


async def server_has(settings: Settings, serial: str, clock: Clock = SYSTEM_CLOCK) -> bool:
    """Whether a running adb server lists the phone. Does not start a server."""
    server = AdbServer(*settings.adb_address, timeout=_SERVER_SECONDS, clock=clock)
    try:
        devices = await server.devices(start=False)
    except AdbError:
        return False
    return any(device.serial == serial for device in devices)
