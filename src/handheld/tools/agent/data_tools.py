"""Reading and changing a phone's data, without its screen."""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Annotated, Any, Literal

from ...driver.apps import InFront
from ...errors import ActionFailed, ElementNotFound, InvalidParams
from ...phone.apps.logs import LogFilter, Processes, find_logs
from ...phone.files.files import FileRow
from ...phone.files.text_file import TextFile
from ...phone.personal.sms_rules import find_number_fault, find_text_fault
from ...phone.phone import Phone
from ...screen.characters import plain_lines, visible
from ...screen.model import mask_password
from ...screen.rows.text import print_whole
from ...screen.rows.words import clean, cut, fold
from ..parameter import Param
from ..recording import Secret
from ..tool import SCREEN_TOOL, About, Reply, Toolset, about_argument
from .apps import find_app
from .device_tools import read_device, read_location
from .elements.acting import read as read_screen
from .elements.actions import app_actions, file_actions, read_actions
from .elements.targets import find_ref, name_successor, names_of
from .notification_tools import read_notifications
from .package_tools import AppAction, about_app, about_read_app, change_app, read_app
from .screen.wording import GONE, reword, tell_rest
from .web_tools import about_web, describe_web, read_web

read_tools = Toolset("utility")
message_tools = Toolset("sms")
file_tools = Toolset("files")
app_tools = Toolset("apps")

FIRST = 50
"""The default number of entries."""
MOST_TEXT = 20_000
"""The maximum length of an element's text, or of the clipboard."""

Reader = Callable[[Phone, str, int], Awaitable[Reply]]
"""Reads what a call names, at most so many entries."""

What = Literal[
    "text",
    "clipboard",
    "files",
    "file",
    "apps",
    "app",
    "log",
    "crashes",
    "performance",
    "notifications",
    "sims",
    "device",
    "location",
    "web",
    "contacts",
    "events",
    "calls",
    "messages",
    "media",
]
_ABILITIES: Mapping[str, tuple[str, ...]] = {
    # If nothing has such words, the reply names the nearest ones on the screen.
    "text": ("get_element_details", SCREEN_TOOL),
    "clipboard": ("get_clipboard",),
    "files": ("list_files", "list_storage_locations"),
    "file": ("read_file",),
    "apps": ("list_apps",),
    "app": ("get_app_info", "list_apps"),
    "log": ("get_device_logs",),
    "crashes": ("list_crashes", "get_crash"),
    "performance": ("get_performance",),
    "notifications": ("notification_list",),
    "sims": ("get_sms_subscriptions",),
    "device": ("get_device_info",),
    "location": ("get_location",),
    "web": ("list_web_pages", "read_web_page"),
    "contacts": ("find_contacts",),
    "events": ("list_events",),
    "calls": ("list_calls",),
    "messages": ("list_messages",),
    "media": ("list_media",),
}
_PERSONAL = ("contacts", "events", "calls", "messages", "media")
_SECRET_REPLIES = {
    "clipboard": Secret.ALWAYS,
    "file": Secret.FILE,
    "location": Secret.ALWAYS,
    "notifications": Secret.WHOLE,
    "web": Secret.WHOLE,
    **dict.fromkeys(_PERSONAL, Secret.WHOLE),
}


async def _about_crashes(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    from .diagnostic_tools import about_crashes

    return await about_crashes(phone, arguments)


_ABOUT: Mapping[str, About] = {
    "app": about_read_app,
    "crashes": _about_crashes,
    "performance": about_argument("of"),
    "web": about_web,
}
"""The apps that a call concerns, if any."""


async def _about(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    about = _ABOUT.get(str(arguments.get("what")))
    return () if about is None else await about(phone, arguments)


def _subject(phone: Phone, arguments: Mapping[str, Any]) -> str:
    return describe_web(phone, arguments) if arguments.get("what") == "web" else ""


@read_tools.tool(
    name="phone_read",
    title="Read",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.ALWAYS,
    actions=read_actions(_ABILITIES, _SECRET_REPLIES, frozenset({"contacts", "messages"})),
    about=_about,
    subject=_subject,
)
async def read(
    phone: Phone,
    what: Annotated[What, Param("text: the whole text of a ref")],
    of: Annotated[str, Param("ref, path, package, crash id or words", secret=Secret.NO)] = "",
    limit: Annotated[int | None, Param("", 1, 1000, schema={"description": None})] = None,
) -> Reply:
    """Read as data, without touching the screen."""
    return await _reader(what)(phone, of.strip(), limit or FIRST)


def _reader(what: What) -> Reader:
    # What few sessions read is loaded by the first call.
    match what:
        case "crashes" | "performance":
            from .diagnostic_tools import DIAGNOSTIC_READERS

            return DIAGNOSTIC_READERS[what]
        case "contacts" | "events" | "calls" | "messages" | "media":
            from .personal_tools import PERSONAL_READERS

            return PERSONAL_READERS[what]
        case _:
            return _READERS[what]


async def _read_text(phone: Phone, of: str, limit: int) -> str:
    """Read the whole text of a ref, or of a text that was shown cut, by its beginning."""
    shown = await read_screen(phone)
    name = find_ref(phone.screens, of)
    begin = fold(of.strip('"').partition("…")[0])
    things = [
        thing
        for _, thing in shown.rows.things
        if (thing.ref == name if name else any(each.startswith(begin) for each in names_of(thing)))
    ]
    if things and (name or len(things) == 1):
        item, node = things[0].item, shown.snapshot.node(things[0].place)
        text = mask_password(node.text, node.flags)
        if text and "\n" in text and len(item.pieces) == 1 and not item.folded:
            return _quoted(text)
        return print_whole(item, shown.snapshot.screen, beside=False, limit=MOST_TEXT)
    words = cut(clean(of), 40)
    if things:
        raise ElementNotFound(f'{len(things)} texts begin with "{words}": say more, or a ref.')
    ref = phone.screens.refs.get(name)
    if ref is None:
        raise ElementNotFound(f'"{words}" is not a shown ref: call phone_look.')
    try:
        node = phone.elements.live(phone.elements.look_up(ref.id), shown.snapshot)
    except ElementNotFound as failure:
        said = reword(failure, ref.id, f"{name} {ref.words}".strip()).message
        if said.endswith(GONE):
            said += name_successor(shown.rows, ref.words)
        raise ElementNotFound(said) from None
    texts = [text for text in (mask_password(node.text, node.flags), node.description) if text]
    return "\n".join(map(_quoted, texts)) or f"{of} has no text."


def _quoted(text: str) -> str:
    """Return the whole text with its line breaks as `\\n`."""
    return json.dumps(cut(plain_lines(text), MOST_TEXT), ensure_ascii=False)


async def _read_clipboard(phone: Phone, of: str, limit: int) -> str:
    text = await phone.driver.get_clipboard()
    return _quoted(text) if text else "The clipboard is empty."


async def _read_sims(phone: Phone, of: str, limit: int) -> str:
    sims = await phone.sms.subscriptions()
    lines = [
        f'sim {sim.id} "{clean(sim.display_name)}" "{clean(sim.carrier_name)}"' for sim in sims
    ]
    return _listed(lines, len(lines), "SIM card")


async def _read_apps(phone: Phone, of: str, limit: int) -> str:
    wanted, kind = fold(of), "all" if of else "user"
    apps = [("", app) for app in await phone.driver.packages(kind)]
    closed: list[str] = []
    for profile in await phone.driver.profiles():
        try:
            found = await phone.driver.packages(kind, profile.user)
        except ActionFailed:
            closed.append(f"Apps that adb may not list: {profile.kind}.")
            continue
        apps += [(f" ({profile.kind})", app) for app in found]
    named = [
        (f"{app.label}{whose}", app.package)
        for whose, app in apps
        if wanted in fold(f"{app.label}{whose}") or wanted in app.package.casefold()
    ]
    named.sort(key=lambda each: (each[0].casefold(), each[1]))
    lines = [f'"{cut(clean(name), 60)}" {package}' for name, package in named[:limit]]
    what = "apps" if of else "installed apps (with of: all that match)"
    return "\n".join([_listed(lines, len(named), what), *closed])


async def _read_log(phone: Phone, of: str, limit: int) -> str:
    owner = None
    if of:
        owner = await phone.driver.processes(of)
        if owner is None:
            raise ActionFailed(
                f'No app with the package "{cut(clean(of), 60)}" is installed. phone_read apps has'
                " the packages."
            )
    hidden = await phone.hidden_processes() if owner is None else Processes()
    wanted = LogFilter("D", None, None, None, owner, hidden)
    lines, _ = await find_logs(phone.driver, wanted, limit, phone.clock)
    return "\n".join(map(visible, lines)) or "No lines."


async def _read_files(phone: Phone, of: str, limit: int) -> str:
    locations = [location for location, _ in await phone.files.locations()]
    if not of:
        if not locations:
            return "No folder is shared. The owner shares one with: handheld storage add"
        lines = [
            f'{location.id}/ "{clean(location.title)}"'
            + (" writable" if location.allow_write else "")
            for location in locations
        ]
        return _listed(lines[:limit], len(lines), "folders")
    location, path = split_path(phone, of)
    rows = await phone.files.list(location, path)
    return _listed([_row(row) for row in rows[:limit]], len(rows), "files")


def _row(row: FileRow) -> str:
    name = clean(row.name)
    if name.endswith((" bytes", "/")):  # like the end of our own lines
        name = f'"{name}"'
    return f"{name}/" if row.is_directory else f"{name} {row.size} bytes"


async def _read_file(phone: Phone, of: str, limit: int) -> Reply:
    location, path = split_path(phone, of)

    def show(file: TextFile) -> Reply:
        lines, notes = file.lines(1, limit)
        rest = file.count - len(lines)
        more = tell_rest(rest, "lines")
        return "\n".join(lines), *more, *notes

    return await phone.files.read(location, path, show)


_READERS: Mapping[What, Reader] = {
    "text": _read_text,
    "clipboard": _read_clipboard,
    "files": _read_files,
    "file": _read_file,
    "apps": _read_apps,
    "app": read_app,
    "log": _read_log,
    "sims": _read_sims,
    "device": read_device,
    "location": read_location,
    "notifications": read_notifications,
    "web": read_web,
}


def _listed(lines: list[str], count: int, what: str) -> str:
    if not lines:
        return f"No {what}."
    return "\n".join([*lines, *tell_rest(count - len(lines), what)])


def split_path(phone: Phone, path: str) -> tuple[str, str]:
    """Return the location and the path in it. Raises InvalidParams."""
    path = path.strip().strip("/")
    if not path:
        raise InvalidParams("A path begins with its folder's id, as phone_read files prints it.")
    return phone.files.split(path)


@message_tools.tool(
    name="phone_message",
    title="Message",
    destructive=True,
    open_world=True,
    exclusive=False,
    secret_reply=Secret.NO,
    abilities=("send_sms",),
)
async def message(
    phone: Phone,
    to: Annotated[str, Param("phone number", refuse=find_number_fault, secret=Secret.PHONE_NUMBER)],
    text: Annotated[
        str,
        Param("", refuse=find_text_fault, secret=Secret.ALWAYS, schema={"description": None}),
    ],
    sim: Annotated[int | None, Param("", schema={"description": None})] = None,
) -> str:
    """Send an SMS."""
    return await phone.sms.send(to, text, sim)


FileAction = Literal["write", "append", "replace", "delete", "download"]


async def _destroys(phone: Phone, arguments: Mapping[str, Any]) -> bool:
    if arguments["action"] == "replace":
        return len(str(arguments.get("text"))) < len(str(arguments.get("old")))
    if arguments["action"] not in ("write", "download"):
        return False
    return await phone.files.exists(*split_path(phone, str(arguments["path"])))


@file_tools.tool(
    name="phone_file",
    title="File",
    destructive=True,
    secret_reply=Secret.NO,
    actions=file_actions,
    destroys=_destroys,
)
async def file(
    phone: Phone,
    action: Annotated[FileAction, Param("", schema={"description": None})],
    path: Annotated[str, Param("as phone_read files prints it", secret=Secret.NO)],
    text: Annotated[str | None, Param("content", secret=Secret.FILE)] = None,
    old: Annotated[str | None, Param("what text replaces", secret=Secret.FILE)] = None,
    url: Annotated[str | None, Param("", secret=Secret.URL, schema={"description": None})] = None,
) -> str:
    """Change a file in shared storage."""
    location, rest = split_path(phone, path)
    files = phone.files
    match action:
        case "delete":
            await files.delete(location, rest)
            return f"Deleted {cut(clean(path), 200)}."
        case "download":
            if not url:
                raise InvalidParams("phone_file download needs url.")
            await files.download(location, rest, url, lambda: phone.acting("phone_file"))
            return f"Downloaded to {cut(clean(path), 200)}."
        case "write" | "append" | "replace":
            if text is None:
                raise InvalidParams(f"phone_file {action} needs text.")
    if action == "replace":
        if not old:
            raise InvalidParams("phone_file replace needs old.")
        _, count = await files.replace(location, rest, old, text, False)
        return f"Replaced {count} in {cut(clean(path), 200)}."
    await (files.append if action == "append" else files.write)(location, rest, text)
    return f"{'Appended to' if action == 'append' else 'Wrote'} {cut(clean(path), 200)}."


@app_tools.tool(
    name="phone_app",
    title="App",
    destructive=True,
    secret_reply=Secret.NO,
    actions=app_actions,
    about=about_app,
)
async def app(
    phone: Phone,
    action: Annotated[AppAction, Param("", schema={"description": None})],
    app: Annotated[str, Param("name or package; path to install", secret=Secret.NO)],
    permission: Annotated[str | None, Param("for grant, revoke", secret=Secret.NO)] = None,
) -> str:
    """Stop an app in the background, install or change one."""
    if action != "stop":
        return await change_app(phone, action, app, permission)
    package, name = await find_app(phone, app)
    try:
        restarted = await phone.driver.stop(package)
    except InFront:
        raise ActionFailed(
            f"{name} is on the screen, and only apps in the background are stopped: press home"
            " first."
        ) from None
    return f"Stopped {name}." + (" The system restarted it immediately." if restarted else "")
