"""The two SMS tools alone, under their bare names, on one phone, which the address chooses."""

from dataclasses import replace

from ..devices import Devices
from ..devices.by_url import SMS_ADDRESS, SelectedByUrl
from ..tools.main.sms import sms
from .local import LocalSurface, SurfaceOptions

_OPTIONS = SurfaceOptions()


def sms_surface(devices: Devices, options: SurfaceOptions = _OPTIONS) -> LocalSurface:
    phones = SelectedByUrl(devices, SMS_ADDRESS)
    return LocalSurface((sms,), phones, replace(options, bare=True, instructions=""))
