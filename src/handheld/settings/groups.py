"""The options that have a table in `handheld.toml`, one dataclass for each table."""

from dataclasses import dataclass
from pathlib import Path

from .declaration import (
    ADB_COMMANDS,
    HTTP_COMMANDS,
    LIMIT_COMMANDS,
    OAUTH_COMMANDS,
    OWNER_COMMANDS,
    TOOL_COMMANDS,
    option,
)
from .questions import DEFAULT, DEFAULT_ASK
from .rules import Rule


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """Encryption of the HTTP server."""

    cert: Path | None = option(  # noqa: RUF009
        None,
        "Certificate chain in PEM; turns TLS on.",
        commands=HTTP_COMMANDS,
        value="FILE",
        shown="none",
    )
    key: Path | None = option(  # noqa: RUF009
        None,
        "Private key of that certificate, in PEM.",
        commands=HTTP_COMMANDS,
        value="FILE",
        shown="none",
    )
    self_signed: bool = option(
        False,
        "Turn TLS on with a self-signed certificate, created at the first start and kept.",
        commands=HTTP_COMMANDS,
        common=True,
    )


@dataclass(frozen=True, slots=True)
class OauthSettings:
    """Access tokens of an OAuth authorization server, which docs/safety-reference.md describes."""

    issuer: tuple[str, ...] = option(
        (),
        "Authorization servers whose access tokens are accepted, by their issuer URLs.",
        commands=OAUTH_COMMANDS,
        value="URL",
        shown="none, which switches OAuth off",
    )
    url: str = option(
        "",
        "This server as clients reach it and as access tokens name it, without a path: "
        "`https://phones.example.com`.",
        commands=OAUTH_COMMANDS,
        value="URL",
        shown="none",
    )
    phone_scopes: bool = option(
        False,
        "Let an access token use only the phones that its scopes `handheld:phone:NAME` name.",
        commands=OAUTH_COMMANDS,
    )


@dataclass(frozen=True, slots=True)
class AdbSettings:
    """How to reach adb. The environment variables of adb itself are read too."""

    server: str = option(
        "127.0.0.1:5037", "Address of the adb server.", commands=ADB_COMMANDS, value="HOST:PORT"
    )


@dataclass(frozen=True, slots=True)
class ToolsSettings:
    """Single tools."""

    off: tuple[str, ...] = option(
        (),
        "Tools to switch off, by their names without prefix, such as `tap`.",
        commands=LIMIT_COMMANDS,
        common=True,
    )


@dataclass(frozen=True, slots=True)
class ToolsetsSettings:
    """The tools of one category."""

    off: tuple[str, ...] = option(
        (),
        "Toolsets to switch off entirely, such as `touch`; docs/tools.md lists them.",
        commands=LIMIT_COMMANDS,
        common=True,
    )
    on: tuple[str, ...] = option(
        (),
        "Toolsets to switch on that are off by default, which docs/tools.md lists; or `all`.",
        commands=LIMIT_COMMANDS,
        common=True,
    )


@dataclass(frozen=True, slots=True)
class MainSettings:
    """The tools for programs, at `/mcp`."""

    strict: bool = option(
        False,
        "Reply exactly as documented, without the texts, flags, notes and keys that Handheld adds: "
        "for programs that join all texts of a reply, or know no others.",
        commands=(*OWNER_COMMANDS, "gateway"),
        short="strict",
    )


@dataclass(frozen=True, slots=True)
class FleetSettings:
    """Leases of phones, which docs/fleet.md describes."""

    most: int = option(
        2,
        "Most phones that the clients of one token may have leased at a time.",
        commands=OWNER_COMMANDS,
        value="N",
        bounds=(1, 1000),
    )
    reset: tuple[str, ...] = option(
        (),
        "What is done on a phone at the end of a lease, before it is free: `home` goes to the home "
        "screen; `close_apps` stops the installed apps that run.",
        commands=OWNER_COMMANDS,
        choices=("home", "close_apps"),
        shown="nothing",
    )
    clear_data: tuple[str, ...] = option(
        (),
        "Packages of apps whose data is deleted at the end of a lease, accounts and all.",
        commands=OWNER_COMMANDS,
        value="PACKAGE",
        shown="none",
    )


@dataclass(frozen=True, slots=True)
class FilesSettings:
    """Files on phones."""

    size_limit_mb: int = option(
        50,
        "Largest file that is read, written or downloaded, in MB.",
        commands=OWNER_COMMANDS,
        value="MB",
        bounds=(1, 500),
    )


@dataclass(frozen=True, slots=True)
class DownloadSettings:
    """What `download_from_url` may fetch."""

    allow_http: bool = option(
        False, "Allow downloads over unencrypted HTTP.", commands=OWNER_COMMANDS
    )
    allow_unverified_https: bool = option(
        False, "Allow servers whose certificate cannot be verified.", commands=OWNER_COMMANDS
    )
    allow_private_addresses: bool = option(
        False,
        "Allow addresses of this computer and of its local networks.",
        commands=OWNER_COMMANDS,
    )
    timeout_seconds: int = option(
        60,
        "How long a download may take, in seconds.",
        commands=OWNER_COMMANDS,
        value="SECONDS",
        bounds=(10, 300),
    )


@dataclass(frozen=True, slots=True)
class PackagesSettings:
    """What `install_app` may install."""

    folders: tuple[str, ...] = option(
        (),
        "Folders of this computer whose packages may be installed on phones, with the folders in "
        "them. Packages in storage locations of the phone need none.",
        commands=OWNER_COMMANDS,
        value="FOLDER",
        shown="none",
    )
    size_limit_mb: int = option(
        500,
        "Largest package that is installed, in MB, packed and unpacked.",
        commands=OWNER_COMMANDS,
        value="MB",
        bounds=(1, 4000),
    )


@dataclass(frozen=True, slots=True)
class RecordingSettings:
    """Videos of screens that `stop_recording` keeps on this computer."""

    most_mb: int = option(
        1000,
        "Most MB of videos that are kept on this computer; beyond it the oldest are deleted. A"
        " named token has a further quarter of it, and deletes only its own.",
        commands=OWNER_COMMANDS,
        value="MB",
        bounds=(1, 100_000),
    )


@dataclass(frozen=True, slots=True)
class AppsSettings:
    """Tools declared by apps on the phone."""

    trust: str = option(
        "first-use",
        "Which apps' tools are listed: with `first-use` those of every app, until the app changes; "
        "with `ask` only those that you approved, such as with `handheld apps approve`; with `off` "
        "none.",
        commands=(*TOOL_COMMANDS, "apps"),
        value="HOW",
        choices=("first-use", "ask", "off"),
    )
    timeout_seconds: int = option(
        30,
        "How long an app may take to answer a call, in seconds.",
        commands=TOOL_COMMANDS,
        value="SECONDS",
        bounds=(1, 300),
    )
    reply_limit: int = option(
        100_000,
        "Longest reply of an app that is passed on, in characters.",
        commands=TOOL_COMMANDS,
        value="N",
        bounds=(1000, 1_000_000),
    )


@dataclass(frozen=True, slots=True)
class StepsSettings:
    """Steps that clients keep to do them again, which `handheld steps` lists."""

    off: bool = option(
        False, "Let clients keep no steps, and offer none that were kept.", commands=TOOL_COMMANDS
    )


@dataclass(frozen=True, slots=True)
class SmsSettings:
    """Messages that `send_sms` may send, and the surface that serves only them."""

    port: int = option(
        9531,
        "Port of the sms surface; 0 picks a free one.",
        commands=("serve", "doctor", "gateway"),
        value="PORT",
        bounds=(0, 65535),
    )
    subscriptions: tuple[int, ...] = option(
        (),
        "Subscriptions that may send, by the ids that `get_sms_subscriptions` lists.",
        commands=OWNER_COMMANDS,
        value="ID",
        shown="every active one",
    )
    allow: tuple[str, ...] = option(
        (),
        "Numbers that messages may be sent to, as patterns such as `+3620*`: * stands for any "
        "digits, ? for one.",
        commands=OWNER_COMMANDS,
        value="PATTERN",
        shown="all",
    )
    block: tuple[str, ...] = option(
        (),
        "Numbers that messages may not be sent to, as patterns; wins over `sms.allow`.",
        commands=OWNER_COMMANDS,
        value="PATTERN",
        shown="none",
    )
    parts_per_minute: int = option(
        10,
        "Most message parts that one phone sends in a minute, over all callers. Above 30 Android "
        "asks for confirmation on the phone's screen.",
        commands=OWNER_COMMANDS,
        value="N",
        bounds=(1, 30),
    )
    dry_run: bool = option(
        False, "Check messages and report the result, but send none.", commands=OWNER_COMMANDS
    )
    unasked_per_hour: int = option(
        5,
        "Most messages that are sent in an hour while nobody is there to be asked, over all phones "
        "and processes; not on the sms surface, nor where a rule of your own decides.",
        commands=OWNER_COMMANDS,
        value="N",
        bounds=(0, 1000),
    )


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """The record of every call, which `handheld log` reads."""

    off: bool = option(False, "Record no calls.", commands=OWNER_COMMANDS)
    required: bool = option(
        True,
        "Refuse calls that cannot be recorded, for example when the disk is full.",
        commands=OWNER_COMMANDS,
    )
    pictures: bool = option(
        False,
        "Keep small pictures of the screen before and after actions. They are also kept while a "
        "console is open.",
        commands=OWNER_COMMANDS,
    )
    most_mb: int = option(
        100,
        "Largest size of the record in MB; beyond it the token with the largest share loses its"
        " oldest calls, reads first.",
        commands=OWNER_COMMANDS,
        value="MB",
        bounds=(1, 10_000),
    )
    most_days: int = option(
        30,
        "How long a call is kept, in days.",
        commands=OWNER_COMMANDS,
        value="DAYS",
        bounds=(1, 3650),
    )
    mask_typing: bool = option(
        False,
        "Mask all typed text. Text typed into password fields, messages, their numbers and the "
        "clipboard are always masked.",
        commands=OWNER_COMMANDS,
    )
    mask_screens: tuple[str, ...] = option(
        ("*messag*", "*mms*", "*sms*"),
        "Packages of apps whose screens are not recorded; by default messaging apps. While such an "
        "app is shown, what is read and typed is masked, and no picture is taken.",
        commands=OWNER_COMMANDS,
        value="PACKAGE",
    )
    mask_files: bool = option(True, "Mask the contents of files.", commands=OWNER_COMMANDS)
    mask_apps: bool = option(
        False,
        "Mask the arguments and replies of app tools.",
        commands=OWNER_COMMANDS,
    )


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """Which calls are allowed, need approval or are denied; docs/safety.md describes the rules."""

    ask: tuple[str, ...] = option(
        (DEFAULT,),
        "Rules for calls that need the approval of a person, at the console or with `handheld "
        "approve`. `default` stands for "
        f"{', '.join(f'`{rule}`' for rule in DEFAULT_ASK)}. While nobody is there, calls that your "
        "own rules ask about are denied; docs/safety.md tells which of the default ones run.",
        commands=OWNER_COMMANDS,
        value="RULE",
    )
    deny: tuple[str, ...] = option(
        (),
        "Rules for calls that are denied, such as `app:com.bank.*`.",
        commands=OWNER_COMMANDS,
        value="RULE",
        shown="none",
        common=True,
    )
    allow: tuple[str, ...] = option(
        (),
        "Rules for calls that are allowed where a wider rule asks or denies, such as "
        "`send_sms+token:family`, or where the same rule asks by default.",
        commands=OWNER_COMMANDS,
        value="RULE",
        shown="none",
    )
    require_console: bool = option(
        False,
        "Deny every call that needs approval while nobody is there to be asked.",
        commands=OWNER_COMMANDS,
    )
    wait_seconds: int = option(
        45,
        "How long a call waits for approval, in seconds; then it is denied.",
        commands=OWNER_COMMANDS,
        value="SECONDS",
        bounds=(5, 45),
    )

    @property
    def own_ask(self) -> tuple[str, ...]:
        """The rules that the owner wrote."""
        return tuple(rule for rule in self.ask if rule != DEFAULT)

    @property
    def default_ask(self) -> tuple[str, ...]:
        """The default rules that hold: not those that the owner decided otherwise, word by word."""
        if DEFAULT not in self.ask:
            return ()
        own = set(map(Rule.read, (*self.own_ask, *self.deny, *self.allow)))
        return tuple(rule for rule in DEFAULT_ASK if Rule.read(rule) not in own)
