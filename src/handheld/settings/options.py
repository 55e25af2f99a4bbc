"""All options. Options without a table are declared here, those with one in `groups`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from .address import is_loopback, split_address
from .declaration import (
    ADB_COMMANDS,
    HTTP_COMMANDS,
    LIMIT_COMMANDS,
    OWNER_COMMANDS,
    PHONE_COMMANDS,
    TOOL_COMMANDS,
    Option,
    declared_options,
    option,
)
from .folders import Folders, folders
from .groups import (
    AdbSettings,
    AppsSettings,
    AuditSettings,
    DownloadSettings,
    FilesSettings,
    FleetSettings,
    MainSettings,
    OauthSettings,
    PackagesSettings,
    PolicySettings,
    RecordingSettings,
    SmsSettings,
    StepsSettings,
    TlsSettings,
    ToolsetsSettings,
    ToolsSettings,
)

VIRTUAL = "virtual"
"""The value of `phone` that stands for a virtual phone."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The value of every option."""

    phone: tuple[str, ...] = option(
        (),
        "The phone to use: a serial, HOST:PORT of an adbd, or `virtual` for a virtual phone. For "
        "several phones repeat the flag, or give a list or names separated by commas. "
        "`ANDROID_SERIAL` is read too.",
        commands=PHONE_COMMANDS,
        value="PHONE",
        shown="those under `[phones]`, else every phone that adb has",
        common=True,
    )
    slug: str = option(
        "",
        "A short name for the single phone, which becomes part of its tools' names: "
        "`android_<slug>_tap`.",
        commands=TOOL_COMMANDS,
        value="SLUG",
        shown="none",
    )
    tool_prefix: str = option(
        "phone_",
        "What the names of the tools for models begin with; empty for nothing: `tap`. Rules and "
        "`tools.off` still name them with `phone_`.",
        commands=("serve", "stdio", "demo", "tools", "host", "gateway"),
        value="PREFIX",
    )
    scene: str = option(
        "",
        "What is on a virtual phone that this command starts: the name of a scene, or a TOML file, "
        "which docs/virtual-phone.md describes.",
        commands=OWNER_COMMANDS,
        value="NAME|FILE",
        shown="default",
    )
    read_only: bool = option(
        False, "Switch off every tool that is not read-only.", commands=LIMIT_COMMANDS, common=True
    )
    wake: bool = option(
        True,
        "Switch on a screen that is off before an action. Nothing is ever unlocked.",
        commands=TOOL_COMMANDS,
    )
    host: str = option(
        "127.0.0.1",
        "Address to listen on. Any other than loopback needs a token.",
        commands=HTTP_COMMANDS,
        value="HOST",
        common=True,
    )
    port: int = option(
        8080,
        "Port to listen on; 0 picks a free one.",
        commands=HTTP_COMMANDS,
        value="PORT",
        bounds=(0, 65535),
        common=True,
    )
    surface: tuple[str, ...] = option(
        ("main",),
        "What to serve: `main` has all tools and listens on `port`; `sms` has the two message"
        " tools and listens on `sms.port`, or on `--port` if it is the only surface. For both"
        " repeat the flag, or give a list.",
        commands=("serve", "doctor", "gateway"),
        choices=("main", "sms"),
        shown="main",
    )
    token: str = option(
        "",
        "Bearer token that clients must send. Other users can read it on a command line: prefer "
        "the file or the variable.",
        commands=HTTP_COMMANDS,
        value="TOKEN",
        shown="created at the first start",
        secret=True,
    )
    no_token: bool = option(
        False,
        "Accept clients without a token. Only on a loopback address.",
        commands=HTTP_COMMANDS,
        common=True,
    )
    allow_host: tuple[str, ...] = option(
        (),
        "More Host and Origin names to accept than loopback and the address listened on.",
        commands=HTTP_COMMANDS,
        value="HOST",
    )
    body_limit: int = option(
        16 * 1024 * 1024,
        "Largest request in bytes.",
        commands=HTTP_COMMANDS,
        value="BYTES",
        bounds=(1024, 1024 * 1024 * 1024),
    )
    no_v1: bool = option(
        False,
        "Do not serve the v1 surface at `/mcp/v1`, which docs/v1.md describes.",
        commands=("serve", "demo", "host", "gateway"),
    )
    no_console: bool = option(
        False,
        "Do not serve the console at `/`, which docs/console.md describes.",
        commands=("serve", "demo", "stdio", "host", "gateway"),
    )
    log_level: str = option(
        "info",
        "How much is logged to stderr.",
        commands=(*ADB_COMMANDS, "demo", "gateway"),
        value="LEVEL",
        choices=("error", "warning", "info", "debug"),
        common=True,
    )
    tls: TlsSettings = field(default_factory=TlsSettings)
    oauth: OauthSettings = field(default_factory=OauthSettings)
    adb: AdbSettings = field(default_factory=AdbSettings)
    tools: ToolsSettings = field(default_factory=ToolsSettings)
    toolsets: ToolsetsSettings = field(default_factory=ToolsetsSettings)
    main: MainSettings = field(default_factory=MainSettings)
    fleet: FleetSettings = field(default_factory=FleetSettings)
    files: FilesSettings = field(default_factory=FilesSettings)
    download: DownloadSettings = field(default_factory=DownloadSettings)
    packages: PackagesSettings = field(default_factory=PackagesSettings)
    recording: RecordingSettings = field(default_factory=RecordingSettings)
    apps: AppsSettings = field(default_factory=AppsSettings)
    steps: StepsSettings = field(default_factory=StepsSettings)
    sms: SmsSettings = field(default_factory=SmsSettings)
    audit: AuditSettings = field(default_factory=AuditSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    slugs: Mapping[str, str] = field(default_factory=dict[str, str])
    """Slugs by phone, for phones that have a table in the file: `[phones.R58M123ABC]`."""
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Tags by phone, from the same tables."""
    sources: Mapping[str, str] = field(default_factory=dict[str, str], compare=False, repr=False)
    """The variable or flag that set an option, by key. Options from the file and defaults have
    none."""
    folders: Folders = field(default_factory=lambda: folders(os.environ))

    @property
    def loopback(self) -> bool:
        return is_loopback(self.host)

    @property
    def phones(self) -> tuple[str, ...]:
        """The chosen phones; empty means every phone that adb has."""
        return self.phone or tuple(self.slugs)

    @property
    def virtual(self) -> bool:
        """Whether a virtual phone is the only one chosen."""
        return self.phones == (VIRTUAL,)

    def slug_of(self, phone: str) -> str:
        """The slug of one of `phones`; "" stands for a phone that only adb has."""
        return self.slug or self.slugs.get(phone, "")

    @property
    def single_slug(self) -> str:
        """The slug of the single phone; "" with several."""
        return self.slug_of("".join(self.phones)) if len(self.phones) < 2 else ""

    @property
    def adb_address(self) -> tuple[str, int]:
        address = split_address(self.adb.server)
        assert address is not None, "it was checked when it was read"
        return address


@cache
def options() -> tuple[Option, ...]:
    """Every option, in order of declaration."""
    return tuple(declared_options(Settings))
