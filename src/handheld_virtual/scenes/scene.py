"""Scenes: TOML files that describe the initial state of a virtual phone.

`docs/virtual-phone-reference.md` lists the keys. The built-in scenes are in `scenes/`.
"""

import base64
import binascii
import difflib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from handheld.settings.toml_parsing import parse_toml

from ..packages.app_functions import GENERATIONS
from ..sms.message import SIMS
from ..sms.telephony import Outcome, Sim
from ..system.battery import CHARGING, DISCHARGING, FULL, Charge
from ..system.latency import PROFILES
from ..system.personal import Contact
from ..system.preferences import TABLES
from ..system.releases import DEFAULT_API, NEWEST_API, OLDEST_API
from .app_events import (
    SceneCrash,
    SceneLinks,
    SceneNotification,
    SceneProfile,
    read_crash,
    read_links,
    read_notification,
    read_profile,
)
from .personal_rows import SceneCall, SceneEvent, read_call, read_contact, read_event
from .table import SceneError, SceneTable

if TYPE_CHECKING:
    from .captured import Captured

SCENES = Path(__file__).parent
MOST_BYTES = 16 * 1024 * 1024
LARGEST_FILE = 64 * 1024 * 1024

OUTCOMES = {
    outcome.name.lower().replace("_", "-"): outcome for outcome in Outcome if outcome != Outcome.OK
}


@dataclass(frozen=True, slots=True)
class SceneFile:
    path: str
    content: bytes
    minutes_ago: int = 0


@dataclass(frozen=True, slots=True)
class SceneMessage:
    address: str
    text: str
    sent: bool
    read: bool
    minutes_ago: int
    sub: int


@dataclass(frozen=True, slots=True)
class SceneFailure:
    pattern: str
    outcome: Outcome
    times: int | None
    part: int


@dataclass(frozen=True, slots=True)
class SceneIncoming:
    """A message that arrives later."""

    address: str
    text: str
    after_seconds: int
    sub: int


@dataclass(frozen=True, slots=True)
class Scene:
    """A validated scene; only its apps and storage are checked on the phone."""

    name: str = "default"
    about: str = ""
    api: int = DEFAULT_API
    width: int = 1080
    height: int = 2400
    density: int = 420
    foldable: bool = False
    model: str = "Handheld Virtual"
    serial: str = "virtual"
    rotation: int = 0
    dark: bool = False
    pin: str | None = None
    locked: bool = False
    asleep: bool = False
    samples: bool = True
    """Whether the phone has the sample files and pictures."""
    open: str = ""
    clipboard: str | None = None
    latency: str = "none"
    faults: tuple[str, ...] = ()
    web_debugging: tuple[str, ...] = ()
    """Apps that allow their web pages to be debugged, by label or package."""
    second_user: int | None = None
    authorize: bool = False
    adb_keys: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """The system's language tags; empty means English."""
    app_functions: str = ""
    """The generation of `cmd app_function`, A to E; "" means that of the release."""
    location: tuple[float, float] | None = None
    revoked: tuple[str, ...] = ()
    """The revoked permissions of adb's shell."""
    listener: bool = True
    """Whether adb's shell may listen to notifications, on releases that support it."""
    battery: Charge = field(default_factory=Charge)
    preferences: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    apps: tuple[str, ...] | None = None
    """The built-in apps to keep, by label or package; None keeps all."""
    disabled: tuple[str, ...] = ()
    stopped: tuple[str, ...] = ()
    """Stopped apps, which get no broadcasts until they are opened."""
    python: tuple[str, ...] = ()
    apks: tuple[Path, ...] = ()
    show: "tuple[Captured, ...]" = ()
    files: tuple[SceneFile, ...] = ()
    sims: tuple[Sim, ...] | None = None
    out_of_service: tuple[int, ...] = ()
    """Subscriptions without service."""
    messages: tuple[SceneMessage, ...] = ()
    incoming: tuple[SceneIncoming, ...] = ()
    failures: tuple[SceneFailure, ...] = ()
    notifications: tuple[SceneNotification, ...] = ()
    profiles: tuple[SceneProfile, ...] = ()
    links: tuple[SceneLinks, ...] = ()
    crashes: tuple[SceneCrash, ...] = ()
    contacts: tuple[Contact, ...] = ()
    events: tuple[SceneEvent, ...] = ()
    calls: tuple[SceneCall, ...] = ()

    @classmethod
    def load(cls, which: "str | Path") -> "Scene":
        """Load a built-in scene by name, or a file. Raises SceneError."""
        file = _find(which)
        try:
            with file.open("rb") as opened:
                data = opened.read(MOST_BYTES + 1)
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise SceneError(f"{file} is not UTF-8.") from None
        except OSError as problem:
            raise SceneError(f"{file} cannot be read: {problem.strerror or problem}.") from None
        if len(data) > MOST_BYTES:
            raise SceneError(f"{file} has more than {MOST_BYTES} bytes.")
        try:
            tree = parse_toml(text)
        except ValueError as problem:
            raise SceneError(f"{file} is not valid TOML: {problem}.") from None
        return _read(SceneTable(tree, "", file))


def shipped() -> list[str]:
    """The names of the built-in scenes."""
    return sorted(file.stem for file in SCENES.glob("*.toml"))


def _find(which: str | Path) -> Path:
    names = shipped()
    if isinstance(which, str) and which in names:
        return SCENES / f"{which}.toml"
    file = Path(which)
    if isinstance(which, Path) or file.suffix == ".toml" or len(file.parts) > 1:
        return file.expanduser()
    near = difflib.get_close_matches(which, names, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(names)}."
    raise SceneError(
        f"No scene is called {which!r}. {hint} The name of a scene file ends in .toml."
    )


def _read(top: SceneTable) -> Scene:
    about = top.text("about", most=200)
    phone, apps = top.table("phone"), top.table("apps")
    width = phone.number("width", 1080, 240, 4096)
    height = phone.number("height", 2400, 240, 4096)
    show = tuple(map(_captured, top.tables("show")))
    density, rotation = 420, 0
    if show:
        from .captured import screen_size, usual_density

        if not (phone.has("width") or phone.has("height")):
            width, height = screen_size(show, width, height)
        density, rotation = usual_density(width, height), show[0].dump.rotation
    preferences = top.table("preferences")
    tables = {table: preferences.strings(table) for table in TABLES}
    preferences.close()
    pin = phone.text("pin")
    if pin and not (4 <= len(pin) <= 16 and pin.isascii() and pin.isdigit()):
        raise phone.fail("pin", "must have 4 to 16 digits")
    rows = top.tables("sims")
    served = [row.flag("service", True) for row in rows]
    sims = tuple(_sim(row, number) for number, row in enumerate(rows))
    subs = {sim.id for sim in sims} or {sim.id for sim in SIMS}
    scene = Scene(
        name=top.file.stem,
        about=about,
        api=phone.number("api", DEFAULT_API, OLDEST_API, NEWEST_API),
        width=width,
        height=height,
        density=phone.number("density", density, 72, 1000),
        foldable=phone.flag("foldable"),
        model=phone.text("model", "Handheld Virtual", 100) or "Handheld Virtual",
        serial=phone.text("serial", "virtual", 64) or "virtual",
        rotation=phone.number("rotation", rotation, 0, 3),
        dark=phone.flag("dark"),
        pin=pin or None,
        locked=phone.flag("locked"),
        asleep=phone.flag("asleep"),
        samples=phone.flag("samples", True),
        open=phone.text("open", most=500),
        clipboard=phone.text("clipboard") or None,
        latency=phone.choice("latency", "none", tuple(PROFILES)),
        faults=phone.texts("faults") or (),
        web_debugging=apps.texts("web_debugging") or (),
        second_user=phone.maybe_number("second_user", 10, 999),
        authorize=phone.flag("authorize"),
        adb_keys=phone.texts("adb_keys") or (),
        languages=phone.texts("languages") or (),
        app_functions=phone.choice("app_functions", "", GENERATIONS),
        location=_place(phone),
        revoked=phone.texts("revoked") or (),
        listener=phone.flag("listener", True),
        battery=_battery(top.table("battery")),
        preferences=tables,
        apps=apps.texts("only"),
        disabled=apps.texts("disabled") or (),
        stopped=apps.texts("stopped") or (),
        python=tuple(_beside(top.file, spec) for spec in apps.texts("python") or ()),
        apks=tuple(Path(_beside(top.file, name)) for name in apps.texts("apk") or ()),
        show=show,
        files=tuple(map(_file, top.tables("files"))),
        sims=sims if top.has("sims") else None,
        out_of_service=tuple(sim.id for sim, on in zip(sims, served, strict=True) if not on),
        messages=tuple(_message(row, subs) for row in top.tables("messages")),
        incoming=tuple(_incoming(row, subs) for row in top.tables("incoming")),
        failures=tuple(map(_failure, top.tables("failures"))),
        notifications=tuple(map(read_notification, top.tables("notifications"))),
        profiles=tuple(map(read_profile, top.tables("profiles"))),
        links=tuple(map(read_links, top.tables("links"))),
        crashes=tuple(map(read_crash, top.tables("crashes"))),
        contacts=tuple(map(read_contact, top.tables("contacts"))),
        events=tuple(map(read_event, top.tables("events"))),
        calls=tuple(map(read_call, top.tables("calls"))),
    )
    for table in (phone, apps, top):
        table.close()
    return scene


def _place(phone: SceneTable) -> tuple[float, float] | None:
    numbers = phone.reals("location")
    if numbers is None:
        return None
    if len(numbers) != 2 or abs(numbers[0]) > 90 or abs(numbers[1]) > 180:
        raise phone.fail("location", "must be latitude and longitude")
    return numbers[0], numbers[1]


def _beside(file: Path, name: str) -> str:
    return str(file.parent / Path(name).expanduser())


def _battery(table: SceneTable) -> Charge:
    level = table.number("level", 86, 0, 100)
    plugged = table.choice("plugged", "usb", ("usb", "ac", "wireless", "none"))
    table.close()
    status = DISCHARGING if plugged == "none" else FULL if level == 100 else CHARGING
    return Charge(
        ac=plugged == "ac",
        usb=plugged == "usb",
        wireless=plugged == "wireless",
        status=status,
        level=level,
    )


def _captured(row: SceneTable) -> "Captured":
    from .captured import CapturedError, load_captured

    dump, picture = row.path("dump"), row.path("picture")
    row.close()
    if dump is None:
        raise row.fail("dump", "is missing")
    try:
        return load_captured(dump, picture)
    except CapturedError as problem:
        raise SceneError(f"{row.file} has a screen that cannot be shown. {problem}") from None


def _file(row: SceneTable) -> SceneFile:
    path = row.needed_text("path", 4000)
    if not path.startswith("/"):
        raise row.fail("path", f"must begin with /, as /sdcard/Download/{path} does")
    ways = [key for key in ("text", "base64", "from", "size") if row.has(key)]
    text, coded, source = row.text("text"), row.text("base64"), row.path("from")
    size = row.number("size", 0, 0, LARGEST_FILE)
    ago = row.number("minutes_ago", 0, 0, 10_000_000)
    row.close()
    if len(ways) != 1:
        raise row.fail("path", "needs exactly one of text, base64, from and size beside it")
    if ways == ["text"]:
        return SceneFile(path, text.encode(), ago)
    if ways == ["base64"]:
        try:
            return SceneFile(path, base64.b64decode(coded, validate=True), ago)
        except binascii.Error as problem:
            raise row.fail("base64", f"cannot be decoded: {problem}") from None
    if source is None:
        return SceneFile(path, generated(size), ago)
    try:
        with source.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as problem:
        why = problem.strerror or problem
        raise row.fail("from", f"names {source}, which cannot be read: {why}") from None
    if len(content) > LARGEST_FILE:
        raise row.fail("from", f"names {source}, which has more than {LARGEST_FILE} bytes")
    return SceneFile(path, content, ago)


def generated(size: int) -> bytes:
    """Return `size` reproducible bytes in lines of 64."""
    line = b"".join(b"%07d," % number for number in range(0, 64, 8))[:63] + b"\n"
    return (line * (size // 64 + 1))[:size]


def _sim(row: SceneTable, number: int) -> Sim:
    slot = row.number("slot", number, 0, 7)
    sim = Sim(
        row.number("id", slot + 1, 1, 999),
        slot,
        row.text("name", f"SIM {slot + 1}", 100),
        row.text("carrier", "Handheld Mobile", 100),
        row.text("number", most=64),
        row.text("mcc", "216", 3),
        row.text("mnc", "30", 3),
        row.text("country", "hu", 2),
        row.text("icc", f"89363000000000000{slot:02d}", 32),
        row.flag("active", True),
    )
    row.close()
    return sim


def _message(row: SceneTable, subs: set[int]) -> SceneMessage:
    ways = [key for key in ("from", "to") if row.has(key)]
    sender, receiver = row.text("from", most=64), row.text("to", most=64)
    if len(ways) != 1 or not (sender or receiver):
        raise row.fail("text", "needs exactly one of from and to beside it")
    message = SceneMessage(
        sender or receiver,
        row.text("text"),
        bool(receiver),
        row.flag("read", bool(receiver)),
        row.number("minutes_ago", 0, 0, 10_000_000),
        row.number("sim", min(subs), 1, 999),
    )
    row.close()
    if message.sub not in subs:
        raise row.fail("sim", f"is {message.sub}, and there is no such SIM")
    return message


def _failure(row: SceneTable) -> SceneFailure:
    pattern = row.needed_text("to", 64)
    outcome = row.choice("outcome", "generic-failure", tuple(OUTCOMES))
    times = row.maybe_number("times", 1, 1_000_000)
    part = row.number("part", 1, 1, 255)
    row.close()
    return SceneFailure(pattern, OUTCOMES[outcome], times, part)


def _incoming(row: SceneTable, subs: set[int]) -> SceneIncoming:
    incoming = SceneIncoming(
        row.needed_text("from", 64),
        row.needed_text("text"),
        row.number("after_seconds", 0, 0, 86_400),
        row.number("sim", min(subs), 1, 999),
    )
    row.close()
    if incoming.sub not in subs:
        raise row.fail("sim", f"is {incoming.sub}, and there is no such SIM")
    return incoming
