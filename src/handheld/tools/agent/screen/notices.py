"""News from the phone for a reply: toasts, notifications, crashed apps, and changes in how screens
are read."""

from collections.abc import Sequence
from dataclasses import replace

from ....phone.phone import Phone
from ....phone.screen.screen_log import ShownScreen
from ....screen.model import Notice, Screen
from ....screen.rows.words import clean, cut, fold, short_name
from ..steps import AgentStep, current_step

LONGEST = 200
_ERROR_DIALOG = "android:id/aerr_"
"""The buttons of Android's dialogs about apps that crash or hang, whatever the language."""
_CRASHED = "crashed"


async def tell(
    phone: Phone, before: ShownScreen, after: ShownScreen, began: float, *, leaves: bool = False
) -> list[str]:
    """Return a line for each notice since the last reply, and keep their words out of the record of
    calls. `began` is the start of the call; `leaves`: the call may leave the app in front."""
    told = [each for each in phone.screens.take_notices() if not phone.hides(each.package)]
    if told:
        phone.elements.notice(replace(after.snapshot.screen, told=tuple(told)))
    lines = [line for notice in told if (line := _line(notice))]
    if current_step() is AgentStep.ALONE:
        # The replies of steps are not shown.
        lines += phone.screens.take_way(after.snapshot.screen)
    package = _vanished(phone, before, after, leaves)
    if package and not phone.hides(package):
        since_ms = round((phone.clock.now() - began) * 1000)
        if await phone.driver.find_exit_reason(package, since_ms) == _CRASHED:
            lines.append(f"app {short_name(package)} stopped")
    return lines


def has_come(notices: Sequence[Notice], wanted: str) -> bool:
    """Whether one of these is a notification with that text."""
    part = fold(wanted)
    return any(
        part in fold(f"{notice.title or ''} {notice.text or ''}")
        for notice in notices
        if notice.kind == "notification"
    )


def is_notice(line: str) -> bool:
    """Whether a line of a reply is a notice. No row of a screen begins like one: texts of apps are
    quoted."""
    return line.startswith(('toast "', "notification ")) or (
        line.startswith("app ") and line.endswith(" stopped")
    )


def _line(notice: Notice) -> str:
    words = [f'"{cut(clean(part), LONGEST)}"' for part in (notice.title, notice.text) if part]
    if notice.kind == "toast":
        return f"toast {words[0]}" if words else ""
    # On a locked phone Android withholds its text.
    return f"notification {' '.join(words) or f'of {short_name(notice.package)}'}"


def _vanished(phone: Phone, before: ShownScreen, after: ShownScreen, leaves: bool) -> str:
    """Return the app that was in front and may have crashed: an earlier window is in front again,
    or Android reports a crash. A query about every app that is left would cost a call each time."""
    left, now = before.rows.front, after.rows.front
    package = left.package if left is not None else None
    if now is None or not package or _is_on(after.snapshot.screen, package):
        return ""
    back = not leaves and _was_shown(phone, before, now.id)
    return package if back or _is_error_dialog(after.snapshot.screen) else ""


def _is_on(screen: Screen, package: str) -> bool:
    return any(window.package == package for window in screen.windows)


def _was_shown(phone: Phone, before: ShownScreen, window: int) -> bool:
    shown = phone.screens.screens.values()
    return any(each.rows.front_id == window for each in shown if each.number < before.number)


def _is_error_dialog(screen: Screen) -> bool:
    return any(
        (node.resource_id or "").startswith(_ERROR_DIALOG)
        for window in screen.windows
        if window.package == "android"
        for node in window.nodes
    )
