"""The tools of the v1 surface: 29, under names without prefix, on the active window alone.

Most are those of today. This file and `server/v1.py` are all that the v1 surface consists of;
nothing else imports them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from ..driver.text import MOST_AT_ONCE, Typing
from ..errors import ActionFailed, ElementNotFound, InvalidParams, TimedOut, ToolError
from ..phone.input.typing import edit
from ..phone.phone import Phone
from ..phone.screen.elements import only_active
from ..phone.screen.waiting import COMPARE_MS, Watch
from ..phone.screen.waiting import wait_for_element as seek
from ..screen.characters import plain
from ..screen.model import Flag, Node, Screen
from ..screen.picture import QUALITY
from ..screen.search import find
from ..screen.text import brief, cut, short_activity, tidy, units
from .abilities import TOOLSET_OF
from .main import CATALOG
from .main.element import describe
from .main.params import By, ElementId, ExactMatch, SearchValue, typed_text
from .parameter import Param, Unusable, read_integer
from .recording import Secret
from .tool import Image, Prepared, Reply, Run, Tool, Toolset, json_text

NAMES = (
    *("get_accessibility_tree", "capture_screenshot", "get_current_app", "get_screen_info"),
    *("press_back", "press_home", "press_recents", "open_notifications", "open_quick_settings"),
    "get_device_logs",
    *("tap", "long_press", "double_tap", "swipe", "scroll"),
    *("pinch", "custom_gesture"),
    *("find_elements", "click_element", "long_click_element", "set_text", "scroll_to_element"),
    *("input_text", "clear_text", "press_key"),
    *("get_clipboard", "set_clipboard", "wait_for_element", "wait_for_idle"),
)

_SCREEN = ("get_screen_state",)
_TYPING = ("type_clear_text", "type_append_text", "type_replace_text")

own = Toolset("v1")

_WORDS = {
    "get_screen_state": "get_accessibility_tree",
    "with the flag clk": "that is clickable",
    "with the flag lclk": "that is longClickable",
    "node_1a2b3c_w42": "node_1a2b3c",
    " Put longer texts into a file with write_file.": "",
}
"""Tools and ids in today's messages, and what they are called on this surface."""

_NO_FIELD = "No focused editable element found. Focus an input field first or provide element_id."


def _read_quality(value: Any) -> int:
    try:
        quality = read_integer(value)
    except Unusable:
        shown = brief(value) if isinstance(value, str) else json_text(value)[:100]
        raise InvalidParams(f"Quality must be an integer between 1 and 100, got {shown}") from None
    if not 1 <= quality <= 100:
        raise InvalidParams(f"Quality must be between 1 and 100, got {quality}")
    return quality


Quality = Annotated[
    int, Param("JPEG quality (1-100)", read=_read_quality, schema={"type": "integer"})
]
Timeout = Annotated[
    int,
    Param(
        "Timeout in milliseconds (1-30000)",
        1,
        30_000,
        beyond="Timeout must be {bound} ms, got: {value}",
    ),
]
SetText = Annotated[str, typed_text("text", "Text to set (empty string to clear)", MOST_AT_ONCE)]
InputText = Annotated[str, typed_text("text", "Text to type", MOST_AT_ONCE)]
InputElement = Annotated[
    str | None, Param("Optional: target element ID to focus and type into", secret=Secret.NO)
]
ClearElement = Annotated[
    str | None, Param("Optional: target element ID to clear", secret=Secret.NO)
]


@own.tool(
    title="Get accessibility tree",
    abilities=_SCREEN,
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
)
async def get_accessibility_tree(phone: Phone) -> str:
    """Returns the full UI hierarchy of the current screen using accessibility services."""
    snapshot = await phone.elements.read()
    places = list(snapshot.places())
    phone.elements.remember(snapshot, places)
    nodes = [(snapshot.id(place), snapshot.node(place)) for place in places]
    return tree_text(nodes, snapshot.screen.all_notes)


def tree_text(nodes: Sequence[tuple[str, Node]], notes: Sequence[str] = ()) -> str:
    """Ids and nodes in pre-order, as nested JSON. Written from first to last: a tree may be deeper
    than calls can be nested. `notes` on what is missing come last, where there are any."""
    parts = ['{"nodes":[']
    open_depths: list[int] = []
    for number, (name, node) in enumerate(nodes):
        ended = 0
        while open_depths and open_depths[-1] >= node.depth:
            open_depths.pop()
            ended += 1
        parts.append("]}" * ended)
        # After a parent comes its first child, after anything else a sibling.
        parts.append("," if number and ended else "")
        parts.append(json_text(_full(name, node))[:-1])
        parts.append(',"children":[')
        open_depths.append(node.depth)
    parts.append("]}" * len(open_depths) + "]")
    if notes:
        parts.append(f',"notes":{json_text([tidy(note) for note in notes])}')
    parts.append("}")
    return "".join(parts)


def _full(name: str, node: Node) -> dict[str, Any]:
    reply = describe(name, node)
    reply |= {
        "focusable": node.flags & Flag.FOCUSABLE != 0,
        "visible": node.flags & Flag.VISIBLE != 0,
    }
    return {key: reply[key] for key in _KEYS}


_KEYS = (
    *("id", "className", "text", "contentDescription", "resourceId", "bounds"),
    *("clickable", "longClickable", "focusable", "scrollable", "editable", "enabled", "visible"),
)


@own.tool(
    title="Capture screenshot",
    abilities=_SCREEN,
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
)
async def capture_screenshot(phone: Phone, quality: Quality = QUALITY) -> Reply:
    """Captures a screenshot of the current screen and returns it as base64-encoded JPEG."""
    picture = await phone.driver.capture(None, "jpeg", quality)
    if picture.secure:
        titles = ", ".join(f"'{cut(tidy(title)) or 'unknown'}'" for title in picture.secure)
        raise ActionFailed(
            f"Screenshot capture failed: the secure window {titles} may not be captured and would"
            " be black. Work with get_accessibility_tree."
        )
    return Image(picture.data, "image/jpeg", (picture.width, picture.height))


@own.tool(
    title="Get current app",
    abilities=_SCREEN,
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
)
async def get_current_app(phone: Phone) -> str:
    """Returns the package name and activity name of the currently focused app."""
    package, activity = _current_app(await phone.driver.read_screen())
    return json_text(
        {
            "packageName": plain(package) or "unknown",
            "activityName": plain(short_activity(package, activity)) or "unknown",
        }
    )


def _current_app(screen: Screen) -> tuple[str, str]:
    """Package and activity; the activity is not known of another app's dialog in front."""
    if screen.locked or screen.foreground is None:
        return "", ""
    window = screen.active
    if window is not None and window.package not in (None, screen.foreground[0]):
        return window.package or "", ""
    return screen.foreground


@own.tool(
    title="Get screen info",
    abilities=_SCREEN,
    read_only=True,
    idempotent=True,
    secret_reply=Secret.NO,
)
async def get_screen_info(phone: Phone) -> str:
    """Returns screen dimensions, orientation, and DPI."""
    screen = await phone.driver.read_screen()
    return json_text(
        {
            "width": screen.width,
            "height": screen.height,
            "densityDpi": screen.density,
            "orientation": screen.orientation,
        }
    )


@own.tool(
    title="Find elements", read_only=True, idempotent=True, open_world=True, secret_reply=Secret.NO
)
async def find_elements(
    phone: Phone, by: By, value: SearchValue, exact_match: ExactMatch = False
) -> str:
    """Find UI elements matching the specified criteria in the accessibility tree."""
    snapshot = await phone.elements.read()
    places = find(snapshot.screen, by, value, exact_match)
    phone.elements.remember(snapshot, places)
    return json_text(
        {"elements": [describe(snapshot.id(place), snapshot.node(place)) for place in places]}
    )


@own.tool(
    title="Set text",
    abilities=_TYPING,
    destructive=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.TYPED,
)
async def set_text(phone: Phone, element_id: ElementId, text: SetText) -> str:
    """Set text on an editable accessibility node (empty string to clear)"""
    await edit(phone, element_id, Typing(text, "all", 0, 0))
    return f"Text set on element '{element_id}'"


@own.tool(
    title="Input text",
    abilities=_TYPING,
    destructive=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.TYPED,
)
async def input_text(phone: Phone, text: InputText, element_id: InputElement = None) -> str:
    """Type text into the focused input field or a specified element"""
    await edit(phone, element_id or await _focused(phone), Typing(text, "all", 0, 0))
    return f"Text input completed ({units(text)} characters)"


@own.tool(
    title="Clear text",
    abilities=("type_clear_text",),
    destructive=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.TYPED,
)
async def clear_text(phone: Phone, element_id: ClearElement = None) -> str:
    """Clear text from the focused input field or a specified element"""
    await edit(phone, element_id or await _focused(phone), Typing("", "all", 0, 0))
    return "Text cleared successfully"


async def _focused(phone: Phone) -> str:
    """Return the id of the focused field, which is valid from now on as if it had been listed."""
    wanted = int(Flag.FOCUSED | Flag.EDITABLE)
    snapshot = await phone.elements.read()
    for place in snapshot.places():
        if snapshot.node(place).flags & wanted == wanted:
            phone.elements.remember(snapshot, [place])
            return snapshot.id(place)
    raise ElementNotFound(_NO_FIELD)


@own.tool(
    title="Wait for element",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
)
async def wait_for_element(
    phone: Phone, by: By, value: SearchValue, timeout: Timeout = 5000
) -> str:
    """Wait until an element matching the specified criteria appears in the accessibility tree,
    polling every 500ms."""
    sought = await seek(_ActiveWindow(phone), phone.clock, by, value, timeout)
    if sought.place is None:
        raise TimedOut(
            f"Element not found within {timeout}ms (by={by}, value='{brief(value)}',"
            f" attempts={sought.attempts})"
        )
    snapshot = phone.elements.mark(sought.screen)
    phone.elements.remember(snapshot, [sought.place])
    described = describe(snapshot.id(sought.place), snapshot.node(sought.place))
    for left_out in ("longClickable", "scrollable", "editable"):
        del described[left_out]
    reply = {"found": True, "elapsedMs": sought.elapsed_ms, "attempts": sought.attempts}
    return json_text({**reply, "element": described})


@own.tool(
    title="Wait for idle", read_only=True, idempotent=True, open_world=True, secret_reply=Secret.NO
)
async def wait_for_idle(phone: Phone, timeout: Timeout = 3000) -> str:
    """Wait for the UI to become idle by detecting when the accessibility tree structure stops
    changing. Considers UI idle when two consecutive snapshots (500ms apart) produce the same
    structural hash."""
    watch = Watch(phone.clock, timeout)
    before: list[Any] | None = None
    while True:
        why = ""
        now: list[Any] | None = None
        try:
            [window] = (await _ActiveWindow(phone).read_screen()).windows
        except (ActionFailed, TimedOut) as failure:
            why = f": {failure.message}"
        else:
            # The tree itself instead of a hash of it: nothing else is equal to it.
            now = [(node.depth, node.class_name, node.text, node.bounds) for node in window.nodes]
        if now is not None and now == before:
            return json_text({"message": "UI is idle", "elapsedMs": watch.shown})
        before = now
        enough = watch.left >= COMPARE_MS
        await watch.sleep(COMPARE_MS)
        if not enough:
            raise TimedOut(f"UI did not become idle within {timeout}ms{why}")


class _ActiveWindow:
    """The phone's active window, all that the v1 surface reads."""

    def __init__(self, phone: Phone) -> None:
        self._driver = phone.driver

    async def read_screen(self) -> Screen:
        return only_active(await self._driver.read_screen())

    async def changed(self, after: int, within_ms: int) -> int:
        return await self._driver.changed(after, within_ms)


def _as_then(tool: Tool) -> Tool:
    """The tool on the active window alone, with messages in the words of the v1 surface."""

    def prepare(arguments: Mapping[str, Any], besides: Sequence[str] = (), /) -> Run:
        run = tool.prepare(arguments, besides)

        async def run_there(phone: Phone) -> Reply:
            try:
                return await run(phone.in_active_window())
            except ToolError as failure:
                failure.message = _in_words_of_then(failure.message)
                raise

        return Prepared(run_there, {}, getattr(run, "seconds", 0.0))

    return replace(tool, prepare=prepare)


def _in_words_of_then(message: str) -> str:
    for today, then in _WORDS.items():
        message = message.replace(today, then)
    return message


def _placed(tool: Tool) -> Tool:
    """In the toolset of what does the same today."""
    listing = tool.listing
    return replace(tool, listing=replace(listing, toolset=TOOLSET_OF[listing.abilities[0]]))


def _all_tools() -> Toolset:
    today = {tool.name: tool for toolset in CATALOG for tool in toolset.tools}
    known = today | {tool.name: tool for tool in own.tools}
    toolset = Toolset("v1")
    toolset.tools = [_as_then(_placed(known[name])) for name in NAMES]
    return toolset


V1_TOOLS = _all_tools()
