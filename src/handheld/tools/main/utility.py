"""The clipboard, waiting, and the whole text of elements."""

from ...errors import ActionFailed, ElementNotFound, InvalidParams
from ...phone.input.clipboard import check_clip
from ...phone.phone import Phone
from ...phone.screen.snapshot import Snapshot
from ...phone.screen.waiting import COMPARE_MS
from ...phone.screen.waiting import wait_for_element as seek
from ...phone.screen.waiting import wait_for_idle as rest
from ...screen.model import split_hint
from ...screen.text import brief, tidy
from ..recording import Secret
from ..tool import Reply, Toolset, json_text
from .element import describe, describe_unseen
from .params import By, ClipboardText, ElementIds, MatchPercentage, SearchValue, WaitTimeout

utility = Toolset("utility")

MOST_IDS = 1000
MOST_DETAILS = 16_000_000
"""The maximum of characters in a reply: enough for a whole screen."""

_NOT_COMPARED = (
    "The similarity is 0 because no two screens could be compared: they are read"
    f" {COMPARE_MS} ms apart, and all their windows must answer."
)
_BRIEF = ("id", "text", "contentDescription", "resourceId", "className", "bounds", "clickable")
"""The properties in a reply of `wait_for_element`, in addition to `enabled`."""


@utility.tool(
    title="Get clipboard",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.ALWAYS,
)
async def get_clipboard(phone: Phone) -> str:
    """Get the current clipboard text content. Accessibility services are exempt from Android 10+
    background clipboard restrictions."""
    try:
        return json_text({"text": await phone.driver.get_clipboard()})
    except ActionFailed as failure:
        raise ActionFailed(f"Clipboard access failed: {failure.message}") from failure


@utility.tool(title="Set clipboard", idempotent=True, secret_reply=Secret.NO)
async def set_clipboard(phone: Phone, text: ClipboardText) -> str:
    """Set the clipboard content to the specified text."""
    units = check_clip(text, "text")
    try:
        await phone.driver.set_clipboard(text)
    except ActionFailed as failure:
        raise ActionFailed(f"Clipboard set failed: {failure.message}") from failure
    return f"Clipboard set successfully ({units} characters)"


@utility.tool(
    title="Wait for element",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
)
async def wait_for_element(phone: Phone, by: By, value: SearchValue, timeout: WaitTimeout) -> str:
    """Wait until an element matching the specified criteria appears in the accessibility tree,
    polling every 500ms."""
    sought = await seek(phone.driver, phone.clock, by, value, timeout)
    reply = {"found": False, "elapsedMs": sought.elapsed_ms, "attempts": sought.attempts}
    if sought.place is None:
        return json_text({**reply, **describe_unseen(sought.screen.unseen)})
    snapshot = phone.elements.mark(sought.screen)
    phone.elements.remember(snapshot, [sought.place])
    described = describe(snapshot.id(sought.place), snapshot.node(sought.place))
    brief = {name: described[name] for name in (*_BRIEF, "enabled")}
    return json_text({**reply, "found": True, "element": brief})


@utility.tool(
    title="Wait for idle", read_only=True, idempotent=True, open_world=True, secret_reply=Secret.NO
)
async def wait_for_idle(
    phone: Phone, timeout: WaitTimeout, match_percentage: MatchPercentage = 100
) -> Reply:
    """Wait for the UI to become idle by comparing accessibility tree fingerprints using
    similarity-based change detection. Generates a 256-slot histogram fingerprint of the tree
    structure and uses normalized difference to compute a similarity percentage. Considers UI idle
    when two consecutive snapshots (500ms apart) meet the `match_percentage` threshold."""
    ended = await rest(phone.driver, phone.clock, match_percentage, timeout)
    message = "UI is idle"
    if not ended.idle:
        message = (
            f"Operation timed out after {ended.elapsed_ms}ms waiting for UI idle. Retry if the"
            " operation is long-running."
        )
    reply = {"message": message, "elapsedMs": ended.elapsed_ms, "similarity": ended.similarity}
    text = json_text({**reply, **describe_unseen(ended.unseen)})
    return text if ended.compared else [text, _NOT_COMPARED]


@utility.tool(
    title="Get element details",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
)
async def get_element_details(phone: Phone, ids: ElementIds) -> Reply:
    """Retrieves full untruncated text and contentDescription for one or more elements by their IDs.
    Use this tool when `android_get_screen_state` shows truncated values (ending with
    `...truncated`) and you need the full content."""
    if len(ids) > MOST_IDS:
        raise InvalidParams(
            f"Parameter 'ids' must have at most {MOST_IDS} ids, got: {len(ids)}. Ask in parts."
        )
    snapshot = await phone.elements.read()
    rows = {name: _row(phone, snapshot, name) for name in dict.fromkeys(ids)}
    if sum(len(rows[name]) for name in ids) > MOST_DETAILS:
        raise InvalidParams(
            f"The texts of these ids are over {MOST_DETAILS} characters together. Ask in parts."
        )
    notes = [f"note:{note}" for note in describe_unseen(snapshot.screen.unseen).values()]
    return ["\n".join(["id\ttext\tdesc", *(rows[name] for name in ids)]), *notes]


def _row(phone: Phone, snapshot: Snapshot, name: str) -> str:
    try:
        node = phone.elements.live(phone.elements.look_up(name), snapshot)
    except ElementNotFound:
        return f"{brief(name).strip() or '-'}\tnot_found\tnot_found"
    text, description = split_hint(node)
    return f"{tidy(name)}\t{_whole(text)}\t{_whole(description)}"


def _whole(text: str | None) -> str:
    return tidy(text or "") or "-"
