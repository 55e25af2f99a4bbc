"""`handheld phones restore`."""

from collections.abc import Sequence

from ...devices.ownership import OwnerGone, Owners, OwnershipEntry, join
from ...errors import SeveralPhones
from ...phone.device.settable import label_of
from ...phone.device.settings_backup import OriginalSettings
from ...server.sharing.remote import RemoteSurface, has_phone
from ...settings import Settings
from ..exit_codes import USAGE_ERROR
from ..reach import command_line
from ..terminal import print_error, print_line

_NAME = "Name the phone: handheld phones restore SERIAL"


def changed_of(kept: Sequence[OriginalSettings], serial: str) -> list[str]:
    """The settings of a phone that were changed and not put back, as people call them."""
    return [
        label_of(name)
        for each in kept
        if serial in (each.phone, each.address)
        for name in each.values
    ]


async def restore(settings: Settings, phone: str) -> int:
    """Through the process that has the phone, or as its owner. Raises ToolError, OwnerError."""
    joined = await join(
        Owners(settings.folders.owners),
        settings.phones or ((phone,) if phone else ()),
        command_line("phones restore", settings),
        has_phone,
        slug=settings.single_slug,
    )
    if isinstance(joined, OwnershipEntry):
        return await _through(joined, phone)
    try:
        from ...devices import restore as put_back
        from ...devices.opening import open_devices

        devices = await open_devices(settings, lambda _: None)
        try:
            await devices.settle()
            try:
                print_line(await put_back(devices, phone or None))
            except SeveralPhones:
                print_error(_NAME)
                return USAGE_ERROR
        finally:
            await devices.aclose()
    finally:
        joined.release()
    return 0


async def _through(entry: OwnershipEntry, phone: str) -> int:
    remote = RemoteSurface(entry)
    try:
        if not phone:
            known = await remote.phones()
            if len(known) != 1:
                print_error(_NAME)
                return USAGE_ERROR
            phone = str(known[0]["serial"])
        print_line(await remote.restore(phone))
    except OwnerGone as gone:
        print_error(f"{gone.entry} has just exited. Try again.")
        return 1
    finally:
        await remote.aclose()
    return 0
