"""Cleans up a phone between two leases."""

from collections.abc import Awaitable, Callable, Sequence

from ...driver.apps import InFront
from ...errors import ActionFailed, ToolError
from ..phone import Phone


def make_reset(
    parts: Sequence[str], clear_data: Sequence[str]
) -> Callable[[Phone], Awaitable[None]] | None:
    """`parts`: `home`, `close_apps`. `clear_data`: packages. None if there is nothing to do."""
    if not parts and not clear_data:
        return None

    async def reset(phone: Phone) -> None:
        """Do all parts, even if one fails. Raises ActionFailed if one failed."""
        faults: list[str] = []
        async with phone.acting("fleet.reset"):
            if "home" in parts:
                await _try(phone.driver.press("home"), faults)
            for package in clear_data:
                await _try(_clear_data(phone, package), faults)
            if "close_apps" in parts:
                await _try(_close_apps(phone, faults), faults)
        if faults:
            raise ActionFailed(" ".join(faults))

    return reset


async def _clear_data(phone: Phone, package: str) -> None:
    # adb alone does this, but only the helper refuses a host that has lost the phone: check first.
    await phone.driver.processes(package)
    await phone.driver.clear_data(package)


async def _close_apps(phone: Phone, faults: list[str]) -> None:
    for app in await phone.driver.packages("user"):
        processes = await phone.driver.processes(app.package)
        if processes is not None and processes.pids:
            await _try(_close(phone, app.package), faults)


async def _close(phone: Phone, package: str) -> None:
    try:
        await phone.driver.stop(package)
    except InFront:
        await phone.driver.press("home")
        try:
            await phone.driver.stop(package)
        except InFront:
            raise ActionFailed(f"{package} stays in front, and was not closed.") from None


async def _try(part: Awaitable[object], faults: list[str]) -> None:
    try:
        await part
    except ToolError as failure:
        faults.append(failure.message)
