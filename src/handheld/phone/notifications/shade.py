"""Opens a notification by its row in the shade, on Android 10 to 12L, which let no program start
its content intent."""

from ...driver.notifications import Notification
from ...errors import ActionFailed, PermissionDenied
from ...screen.model import Flag, Node, Screen
from ..phone import Phone
from ..screen.targets import target_of
from ..screen.waiting import Watch

SHOWS_MS = 3000
"""The time limits for the shade to show the row, and for an app to come to the front."""
LOOK_MS = 100
_ROW = "com.android.systemui:id/expandableNotificationRow"
_KEPT = "The notification is still there."


async def shown_apps(phone: Phone) -> list[str]:
    """Return the packages of the apps whose rows the shade shows; none if the shade is not
    needed."""
    posted = await phone.driver.notifications()
    return [] if posted.starts else [each.package for each in posted.notifications]


async def tap_in_shade(phone: Phone, seen: Notification, button: str | None) -> str:
    """Tap the row of the notification, or a button of it; return the package in front then. Raises
    ToolError."""
    for package in await shown_apps(phone):
        if phone.hides(package):
            raise PermissionDenied(
                "This Android opens it only from the notification shade, which also shows"
                " notifications of an app that the owner of the phone does not allow. Nothing was"
                " done. Do not look for a way around it; tell the user."
            )
    before = (await phone.driver.read_screen()).foreground
    await phone.driver.press("notifications")
    row, words = await _await_row(phone, seen, button)
    await phone.driver.act(target_of(row, words), "click")
    watch = Watch(phone.clock, SHOWS_MS)
    while True:
        front = (await phone.driver.read_screen()).foreground
        if front is not None and (front[0] == seen.package or front != before):
            return front[0]
        if watch.left < 1:
            raise ActionFailed(
                "It was tapped in the notification shade, but nothing came to the front; look at"
                " the screen before going on."
            )
        await watch.sleep(LOOK_MS)


async def _await_row(phone: Phone, seen: Notification, button: str | None) -> tuple[Node, Node]:
    watch = Watch(phone.clock, SHOWS_MS)
    while True:
        found = find_row(await phone.driver.read_screen(), seen, button)
        if len(found) == 1:
            return found[0]
        if watch.left < 1:
            reason = "several rows look like it" if found else "its row is not in view"
            raise ActionFailed(
                "This Android opens it only from the notification shade, which is open now:"
                f" {reason}. Nothing was opened. {_KEPT}"
            )
        await watch.sleep(LOOK_MS)


def find_row(screen: Screen, seen: Notification, button: str | None) -> list[tuple[Node, Node]]:
    """Return the node to tap in each row with the notification's words, and the node with the row's
    first words."""
    wanted = [word for word in (seen.title, seen.text) if word]
    found: list[tuple[Node, Node]] = []
    for window in screen.windows:
        for place, row in enumerate(window.nodes):
            if row.resource_id != _ROW or not row.flags & Flag.VISIBLE:
                continue
            inside = _descendants(window.nodes, place)
            texts = [node.text for node in inside]
            if not wanted or any(word not in texts for word in wanted):
                continue
            words = inside[texts.index(wanted[0])]
            buttons = [n for n in inside if n.text == button and n.flags & Flag.CLICKABLE]
            found += [(row, words)] if button is None else [(n, words) for n in buttons]
    return found


def _descendants(nodes: list[Node], place: int) -> list[Node]:
    found: list[Node] = []
    for node in nodes[place + 1 :]:
        if node.depth <= nodes[place].depth:
            break
        found.append(node)
    return found
