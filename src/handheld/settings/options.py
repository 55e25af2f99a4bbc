"""Every option, said once: a field of a frozen dataclass.

The key in `handheld.toml`, the `HANDHELD_…` variable, the flag and the row in docs/settings.md are
derived from the field.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from .address import is_loopback, split_address

VIRTUAL = "virtual"
"""The value of `phone` that asks for a virtual phone."""
PREFIX = "HANDHELD_"
PLACES: Mapping[str, str] = {
    "HANDHELD_HOME": "One folder for configuration and state, instead of the platform's own.",
    "HANDHELD_CONFIG": "The configuration file, instead of `handheld.toml` in the configuration "
    "folder.",
}
"""The variables that say where files are, with their help. They have no key and no flag."""


def _says(
    help: str,
    *,
    bounds: tuple[int, int] | None = None,
    choices: tuple[str, ...] = (),
    shown: str = "",
) -> Mapping[str, Any]:
    """`shown` stands in the docs where the default is better described than printed."""
    return {"help": help, "bounds": bounds, "choices": choices, "shown": shown}


@dataclass(frozen=True, slots=True)
class Tls:
    """Encryption of the HTTP server."""

    cert: Path | None = field(
        default=None, metadata=_says("Certificate chain in PEM; turns TLS on.", shown="none")
    )
    key: Path | None = field(
        default=None, metadata=_says("Private key of that certificate, in PEM.", shown="none")
    )
    self_signed: bool = field(
        default=False,
        metadata=_says("Turn TLS on with a certificate made at the first start and kept."),
    )


@dataclass(frozen=True, slots=True)
class Adb:
    """How to reach adb. The variables that adb itself obeys are read too."""

    server: str = field(default="127.0.0.1:5037", metadata=_says("Address of the adb server."))


@dataclass(frozen=True, slots=True)
class Tools:
    """Single tools."""

    off: tuple[str, ...] = field(
        default=(),
        metadata=_says("Tools to switch off, by their names without prefix, such as `tap`."),
    )


@dataclass(frozen=True, slots=True)
class Toolsets:
    """The tools of one category."""

    off: tuple[str, ...] = field(
        default=(),
        metadata=_says("Toolsets to switch off whole, such as `touch`; docs/tools.md names them."),
    )


@dataclass(frozen=True, slots=True)
class Files:
    """Files on phones."""

    size_limit_mb: int = field(
        default=50,
        metadata=_says("Largest file that is read, written or downloaded, in MB.", bounds=(1, 500)),
    )


@dataclass(frozen=True, slots=True)
class Apps:
    """Tools that the phone's own apps offer."""

    trust: str = field(
        default="first-use",
        metadata=_says(
            "Whose tools are listed: `first-use` takes an app as it is first seen and withdraws it "
            "when it changes, `ask` lists what `handheld apps approve` has allowed, `off` nothing.",
            choices=("first-use", "ask", "off"),
        ),
    )
    timeout_seconds: int = field(
        default=30,
        metadata=_says("How long an app may take for an answer, in seconds.", bounds=(1, 300)),
    )
    reply_limit: int = field(
        default=100_000,
        metadata=_says(
            "Longest reply of an app that is passed on, in characters.", bounds=(1000, 1_000_000)
        ),
    )


@dataclass(frozen=True, slots=True)
class Sms:
    """Messages that `send_sms` may send, and the surface for them alone."""

    port: int = field(
        default=9531,
        metadata=_says("Port of the sms surface; 0 takes a free one.", bounds=(0, 65535)),
    )
    subscriptions: tuple[int, ...] = field(
        default=(),
        metadata=_says(
            "Subscriptions that may send, by the ids of `get_sms_subscriptions`.",
            shown="every active one",
        ),
    )
    allow: tuple[str, ...] = field(
        default=(),
        metadata=_says(
            "Numbers that may be sent to, as patterns such as `+3620*`: * stands for any digits, "
            "? for one.",
            shown="all",
        ),
    )
    block: tuple[str, ...] = field(
        default=(),
        metadata=_says(
            "Numbers that may not be sent to, as patterns, whatever `sms.allow` says.", shown="none"
        ),
    )
    parts_per_minute: int = field(
        default=10,
        metadata=_says(
            "Most message parts of one phone in a minute, over all callers. Above 30 Android asks "
            "on the phone's screen.",
            bounds=(1, 30),
        ),
    )
    dry_run: bool = field(
        default=False, metadata=_says("Check messages and say so, but send none.")
    )


@dataclass(frozen=True, slots=True)
class Download:
    """What `download_from_url` may fetch."""

    allow_http: bool = field(default=False, metadata=_says("Allow downloads without encryption."))
    allow_unverified_https: bool = field(
        default=False, metadata=_says("Allow servers whose certificate cannot be verified.")
    )
    allow_private_addresses: bool = field(
        default=False,
        metadata=_says("Allow addresses of this computer and of the networks it is in."),
    )
    timeout_seconds: int = field(
        default=60, metadata=_says("How long a download may take, in seconds.", bounds=(10, 300))
    )


@dataclass(frozen=True, slots=True)
class Audit:
    """The record of every call, which `handheld log` reads."""

    off: bool = field(default=False, metadata=_says("Record no calls."))
    required: bool = field(
        default=True,
        metadata=_says("Refuse calls that cannot be recorded, as when the disk is full."),
    )
    pictures: bool = field(
        default=False,
        metadata=_says(
            "Keep small pictures of the screen before and after actions. An open console has them "
            "kept too."
        ),
    )
    most_mb: int = field(
        default=100,
        metadata=_says("Largest size of the record in MB: the oldest goes.", bounds=(1, 10_000)),
    )
    most_days: int = field(
        default=30,
        metadata=_says("How long a call is kept, in days.", bounds=(1, 3650)),
    )
    mask_typing: bool = field(
        default=False,
        metadata=_says(
            "Mask all that is typed. What goes into password fields is masked in any case, as are "
            "messages, their numbers and the clipboard."
        ),
    )
    mask_screens: tuple[str, ...] = field(
        default=("*messag*", "*mms*", "*sms*"),
        metadata=_says(
            "Packages of apps whose screens are not kept, by default those for messages: what is "
            "read while one is shown is masked, as is what is typed there, and no picture is taken."
        ),
    )
    mask_files: bool = field(default=True, metadata=_says("Mask the contents of files."))
    mask_apps: bool = field(
        default=False,
        metadata=_says("Mask what the tools of the phone's apps are given and reply."),
    )


@dataclass(frozen=True, slots=True)
class Policy:
    """Which calls are allowed, asked about and denied; docs/safety.md tells how rules are read."""

    ask: tuple[str, ...] = field(
        default=("send_sms", "delete_file", "close_app", "download_from_url", "app_*"),
        metadata=_says(
            "Rules for calls that a person at the console is asked about. While none is open they "
            "are allowed, unless `policy.require_console` says otherwise.",
        ),
    )
    deny: tuple[str, ...] = field(
        default=(),
        metadata=_says("Rules for calls that are denied, such as `app:com.bank.*`.", shown="none"),
    )
    allow: tuple[str, ...] = field(
        default=(),
        metadata=_says(
            "Rules for calls that are allowed where a wider rule asks or denies, such as "
            "`send_sms+token:family`.",
            shown="none",
        ),
    )
    require_console: bool = field(
        default=False,
        metadata=_says("Deny what a person is to be asked about while no console is open."),
    )
    wait_seconds: int = field(
        default=45,
        metadata=_says(
            "How long a call waits for a person's answer, in seconds; then it is denied.",
            bounds=(5, 45),
        ),
    )


@dataclass(frozen=True, slots=True)
class Folders:
    """Where things are kept. Not options: placed by the platform or by HANDHELD_HOME."""

    config: Path
    state: Path

    @property
    def token(self) -> Path:
        return self.state / "token"

    @property
    def tokens(self) -> Path:
        return self.state / "tokens.json"

    @property
    def storage(self) -> Path:
        return self.config / "storage.toml"

    @property
    def apps(self) -> Path:
        return self.state / "apps.json"

    @property
    def owners(self) -> Path:
        return self.state / "owners"

    @property
    def tls(self) -> Path:
        return self.state / "tls"

    @property
    def audit(self) -> Path:
        return self.state / "audit" / "calls.sqlite"


@dataclass(frozen=True, slots=True)
class Settings:
    """All options."""

    phone: tuple[str, ...] = field(
        default=(),
        metadata=_says(
            "The phone to serve: a serial, HOST:PORT of an adbd, or `virtual` for a virtual phone. "
            "Several are several flags, a list, or names with commas between. `ANDROID_SERIAL` is "
            "read too.",
            shown="those under `[phones]`, else whatever adb has",
        ),
    )
    slug: str = field(
        default="",
        metadata=_says(
            "A short name for the single phone, which its tools carry: `android_<slug>_tap`.",
            shown="none",
        ),
    )
    read_only: bool = field(
        default=False, metadata=_says("Switch off every tool that is not read-only.")
    )
    wake: bool = field(
        default=True,
        metadata=_says(
            "Switch on a screen that is off before an action. Nothing is ever unlocked."
        ),
    )
    host: str = field(
        default="127.0.0.1", metadata=_says("Address to listen on. Other machines need a token.")
    )
    port: int = field(
        default=8080, metadata=_says("Port to listen on; 0 takes a free one.", bounds=(0, 65535))
    )
    surface: tuple[str, ...] = field(
        default=("main",),
        metadata=_says(
            "What to serve: `main` has all tools on `port`, `sms` the two for messages on "
            "`sms.port`. Both are two flags, or a list.",
            choices=("main", "sms"),
            shown="main",
        ),
    )
    token: str = field(
        default="",
        repr=False,
        metadata=_says(
            "Bearer token that clients must send. On a command line other users can read it: "
            "prefer the file or the variable.",
            shown="made at first start",
        ),
    )
    no_token: bool = field(
        default=False, metadata=_says("Ask for no token. Only on a loopback address.")
    )
    allow_host: tuple[str, ...] = field(
        default=(),
        metadata=_says(
            "Further Host and Origin names to accept, besides loopback and the address.", shown=""
        ),
    )
    body_limit: int = field(
        default=16 * 1024 * 1024,
        metadata=_says("Largest request in bytes.", bounds=(1024, 1024 * 1024 * 1024)),
    )
    no_v1: bool = field(
        default=False,
        metadata=_says("Do not serve the first surface at `/mcp/v1`; docs/v1.md tells of it."),
    )
    no_console: bool = field(
        default=False,
        metadata=_says("Do not serve the console at `/`; docs/console.md tells of it."),
    )
    log_level: str = field(
        default="info",
        metadata=_says(
            "How much is logged to stderr.", choices=("error", "warning", "info", "debug")
        ),
    )
    tls: Tls = field(default_factory=Tls)
    adb: Adb = field(default_factory=Adb)
    tools: Tools = field(default_factory=Tools)
    toolsets: Toolsets = field(default_factory=Toolsets)
    files: Files = field(default_factory=Files)
    download: Download = field(default_factory=Download)
    apps: Apps = field(default_factory=Apps)
    sms: Sms = field(default_factory=Sms)
    audit: Audit = field(default_factory=Audit)
    policy: Policy = field(default_factory=Policy)
    slugs: Mapping[str, str] = field(default_factory=dict[str, str])
    """By the phones that have a table in the file: `[phones.R58M123ABC]`."""
    sources: Mapping[str, str] = field(default_factory=dict[str, str], compare=False, repr=False)
    """The variable or flag that an option was set by, by its key; not there where it is the file's
    or the default."""
    folders: Folders = field(default_factory=lambda: folders(os.environ))

    @property
    def loopback(self) -> bool:
        return is_loopback(self.host)

    @property
    def phones(self) -> tuple[str, ...]:
        """The phones asked for; empty where whatever adb has is meant."""
        return self.phone or tuple(self.slugs)

    @property
    def virtual(self) -> bool:
        """Whether a virtual phone is all that is asked for."""
        return self.phones == (VIRTUAL,)

    def slug_of(self, phone: str) -> str:
        """The slug of one of `phones`; of whatever adb has for ""."""
        return self.slug or self.slugs.get(phone, "")

    @property
    def single_slug(self) -> str:
        """The slug of the single phone; "" where several are asked for."""
        return self.slug_of("".join(self.phones)) if len(self.phones) < 2 else ""

    @property
    def adb_address(self) -> tuple[str, int]:
        address = split_address(self.adb.server)
        assert address is not None, "it was checked when it was read"
        return address


@dataclass(frozen=True, slots=True)
class Option:
    """One field and the names that follow from it."""

    path: tuple[str, ...]
    type: Any
    default: Any
    help: str
    bounds: tuple[int, int] | None
    choices: tuple[str, ...]
    shown: str

    @property
    def key(self) -> str:
        return ".".join(self.path)

    @property
    def variable(self) -> str:
        return PREFIX + "_".join(self.path).upper()

    @property
    def flag(self) -> str:
        """What is on by default is switched off by its flag."""
        no = ("no",) if self.default is True else ()
        return "--" + "-".join((*no, *self.path)).replace("_", "-")

    @property
    def dest(self) -> str:
        return "_".join(self.path)

    @property
    def repeats(self) -> bool:
        return self.type in (tuple[str, ...], tuple[int, ...])

    @property
    def item(self) -> Any:
        """Of one that repeats: the type of each part."""
        return int if self.type == tuple[int, ...] else str

    @property
    def wanted(self) -> str:
        if self.type is bool:
            return "true or false"
        if self.type is int:
            low, high = self.bounds or (0, 2**31)
            return f"a whole number from {low} to {high}"
        if self.choices:
            return ("some of " if self.repeats else "one of ") + ", ".join(self.choices)
        if self.repeats and self.item is int:
            return "a whole number or a list of them"
        return "a text or a list of texts" if self.repeats else "a text"


def _walk(kind: type, path: tuple[str, ...]) -> Iterator[Option]:
    hints = get_type_hints(kind)
    for item in fields(kind):
        hint = hints[item.name]
        if "help" in item.metadata:
            yield Option((*path, item.name), hint, item.default, **item.metadata)
        elif isinstance(hint, type) and hint is not Folders:
            yield from _walk(hint, (*path, item.name))


@cache
def options() -> tuple[Option, ...]:
    """Every option, in the order in which it is declared."""
    return tuple(_walk(Settings, ()))


def folders(environment: Mapping[str, str]) -> Folders:
    if home := environment.get("HANDHELD_HOME"):
        folder = Path(home).expanduser().absolute()
        return Folders(folder, folder / "state")
    import platformdirs

    return Folders(
        platformdirs.user_config_path("handheld"), platformdirs.user_state_path("handheld")
    )
