"""What a process says of the phones that it owns."""

from typing import TYPE_CHECKING, Any

from ...devices import Devices
from ...errors import ToolError
from ...phone.phone import Phone

if TYPE_CHECKING:
    from ...access.stop_switch import StopSwitch


async def report(devices: Devices, switch: "StopSwitch | None" = None) -> list[dict[str, Any]]:
    """The phones as GET /phones and the command line show them."""
    rows: list[dict[str, Any]] = []
    known = await devices.known()
    present = await devices.present(None)
    notes = {phone.serial: phone.claim_note for phone in present}
    changed = {phone.serial: await _changed(phone) for phone in present}
    for device in known:
        row: dict[str, Any] = {
            "serial": device.serial,
            "state": device.state.value,
            "model": device.model,
            "slug": device.slug,
            "held": switch is not None and await switch.holds(device),
        }
        if switch is not None and (lease := switch.lease_of(device)):
            row["lease"] = lease
        if note := notes.get(device.serial):
            row["claim"] = note
        if labels := changed.get(device.serial):
            row["changed"] = labels
        rows.append(row)
    return rows


async def _changed(phone: Phone) -> list[str]:
    """The settings that were changed on a phone and not put back, as people call them."""
    from ...phone.device.settable import label_of

    try:
        return [label_of(name) for name in await phone.device.changed()]
    except ToolError:
        return []  # it does not tell which phone it is
