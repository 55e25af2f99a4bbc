"""The phone's buttons and its log."""

import re

from ...errors import ActionFailed, InvalidParams
from ...phone.apps.logs import LogFilter, Processes, find_logs
from ...phone.phone import Phone
from ...screen.text import brief
from ..recording import Secret
from ..tool import Toolset, json_text
from .params import LastLines, LogLevel, LogPackage, LogTag, Since, Until

system = Toolset("system")

_PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9._]*", re.ASCII)


@system.tool(title="Press back", secret_reply=Secret.NO, console=True)
async def press_back(phone: Phone) -> str:
    """Presses the back button (global accessibility action)."""
    return await _press(phone, "back", "Back button press")


@system.tool(title="Press home", idempotent=True, secret_reply=Secret.NO, console=True)
async def press_home(phone: Phone) -> str:
    """Navigates to the home screen."""
    return await _press(phone, "home", "Home button press")


@system.tool(title="Press recents", secret_reply=Secret.NO, console=True)
async def press_recents(phone: Phone) -> str:
    """Opens the recent apps screen."""
    return await _press(phone, "recents", "Recents button press")


@system.tool(title="Open notifications", idempotent=True, secret_reply=Secret.NO, console=True)
async def open_notifications(phone: Phone) -> str:
    """Pulls down the notification shade."""
    return await _press(phone, "notifications", "Open notifications")


@system.tool(title="Open quick settings", idempotent=True, secret_reply=Secret.NO)
async def open_quick_settings(phone: Phone) -> str:
    """Opens the quick settings panel."""
    return await _press(phone, "quick_settings", "Open quick settings")


@system.tool(
    title="Get device logs",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
)
async def get_device_logs(
    phone: Phone,
    last_lines: LastLines = 100,
    since: Since = None,
    until: Until = None,
    tag: LogTag = None,
    level: LogLevel = "D",
    package_name: LogPackage = None,
) -> str:
    """Retrieves device logcat logs filtered by time range, tag, level, or package name."""
    owner = None
    if package_name is not None:
        _check_package(package_name)
        owner = await phone.driver.processes(package_name)
        if owner is None:
            return _no_logs(f"{package_name} is not installed.")
        if owner.shared and not owner.pids:
            return _no_logs(
                f"{package_name} is not running, and its earlier lines cannot be told from those of"
                " other apps that share its uid. Filter by tag instead."
            )
    hidden = await phone.hidden_processes() if owner is None else Processes()
    wanted = LogFilter(level, tag, since, until, owner, hidden)
    lines, truncated = await find_logs(phone.driver, wanted, last_lines, phone.clock)
    return json_text({"logs": "\n".join(lines), "line_count": len(lines), "truncated": truncated})


def _check_package(name: str) -> None:
    if not _PACKAGE.fullmatch(name):
        raise InvalidParams(
            "package_name contains invalid characters. Must start with a letter and contain only"
            f" letters, digits, '.', '_'. Got: '{brief(name)}'"
        )


def _no_logs(note: str) -> str:
    return json_text({"logs": "", "line_count": 0, "truncated": False, "note": note})


async def _press(phone: Phone, button: str, name: str) -> str:
    try:
        await phone.driver.press(button)
    except ActionFailed as failure:
        raise ActionFailed(f"{name} failed: {failure.message}") from failure
    return f"{name} executed successfully"
