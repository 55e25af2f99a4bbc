"""The device: its properties and settings."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...driver.by_shell.setting_commands import BRIGHTEST
from ...errors import InvalidParams
from ...phone.input.keyboard import dismiss
from ...phone.phone import Phone
from ..recording import Secret
from ..tool import Toolset, about_argument, json_text
from .params import (
    Airplane,
    Bluetooth,
    Brightness,
    Dark,
    FontScale,
    FreshFix,
    LanguageTag,
    Latitude,
    LocalizedPackage,
    Longitude,
    MobileData,
    Rotation,
    ScreenOn,
    VolumeLevel,
    VolumeStream,
    Wifi,
)

if TYPE_CHECKING:
    from ...phone.device.device_settings import DeviceSettings

# The first call loads the implementation: most sessions do not use it.

device = Toolset("device")


@device.tool(title="Get device info", read_only=True, idempotent=True, secret_reply=Secret.NO)
async def get_device_info(phone: Phone) -> str:
    """Returns the device's model, Android version, screen, battery, network switches, volume and
    language. Unknown values are null; `changed` lists what these tools changed and nobody has put
    back."""
    return json_text(await phone.device.info())


@device.tool(title="Set rotation", idempotent=True, secret_reply=Secret.NO)
async def set_rotation(phone: Phone, rotation: Rotation) -> str:
    """Fixes the rotation of the screen, or lets it follow the device (auto)."""
    return "\n".join(await phone.device.change_rotation(rotation))


@device.tool(title="Set appearance", idempotent=True, secret_reply=Secret.NO)
async def set_appearance(
    phone: Phone,
    dark: Dark = None,
    brightness: Brightness = None,
    font_scale: FontScale = None,
) -> str:
    """Sets the dark mode, the brightness and the font scale; what is left out stays."""
    wanted: dict[str, str] = {}
    if dark is not None:
        wanted["dark_mode"] = "yes" if dark else "no"
    if brightness is not None:
        wanted["brightness"] = str(round(brightness * BRIGHTEST / 100))
    if font_scale is not None:
        wanted["font_scale"] = f"{font_scale:g}"
    return await _change(phone.device, wanted, "dark, brightness, font_scale")


@device.tool(title="Set network", idempotent=True, secret_reply=Secret.NO)
async def set_network(
    phone: Phone,
    wifi: Wifi = None,
    mobile_data: MobileData = None,
    airplane: Airplane = None,
    bluetooth: Bluetooth = None,
) -> str:
    """Switches radios on and off; what is left out stays. What the device is reached over is not
    switched off."""
    from ...phone.device.settable import word

    given = {
        "airplane_mode": airplane,
        "wifi": wifi,
        "mobile_data": mobile_data,
        "bluetooth": bluetooth,
    }
    wanted = {name: word(on) for name, on in given.items() if on is not None}
    return await _change(phone.device, wanted, "wifi, mobile_data, airplane, bluetooth")


async def _change(device: "DeviceSettings", wanted: Mapping[str, str], known: str) -> str:
    if not wanted:
        raise InvalidParams(f"Give at least one of: {known}")
    return "\n".join(await device.change(wanted))


@device.tool(title="Set volume", idempotent=True, secret_reply=Secret.NO)
async def set_volume(phone: Phone, stream: VolumeStream, level: VolumeLevel) -> str:
    """Sets the volume of one kind of sound. get_device_info tells the highest level of each."""
    return "\n".join(await phone.device.change_volume(stream, level, None))


@device.tool(
    title="Set language",
    idempotent=True,
    secret_reply=Secret.NO,
    about=about_argument("package_id"),
)
async def set_language(
    phone: Phone, locale: LanguageTag, package_id: LocalizedPackage = None
) -> str:
    """Sets the language of the device, or of one app (Android 13 or newer)."""
    return "\n".join(await phone.device.change_language(locale, package_id))


@device.tool(
    title="Get location",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.ALWAYS,
)
async def get_location(phone: Phone, fresh_fix: FreshFix = False) -> str:
    """Returns the device's last known location, or a new fix (up to 10 seconds)."""
    fix = await phone.device.locate(fresh_fix)
    return json_text(
        {
            "latitude": fix.latitude,
            "longitude": fix.longitude,
            "accuracy_meters": fix.accuracy,
            "street": None,
            "provider": fix.provider,
            "age_seconds": None if fix.age_ms is None else round(fix.age_ms / 1000),
            "pretended": fix.mock,
        }
    )


@device.tool(title="Set location", idempotent=True, secret_reply=Secret.NO)
async def set_location(phone: Phone, latitude: Latitude = None, longitude: Longitude = None) -> str:
    """Makes apps believe that the device is at this place, until it restarts. Without arguments,
    ends that."""
    if (latitude is None) != (longitude is None):
        raise InvalidParams("Give both latitude and longitude, or neither")
    place = None if latitude is None or longitude is None else (latitude, longitude)
    return "\n".join(await phone.device.change_place(place))


@device.tool(title="Set screen", idempotent=True, secret_reply=Secret.NO)
async def set_screen(phone: Phone, on: ScreenOn) -> str:
    """Switches the screen on or off. A lock screen stays."""
    return "\n".join(await phone.device.switch_screen(on))


@device.tool(title="Dismiss keyboard", idempotent=True, secret_reply=Secret.NO)
async def dismiss_keyboard(phone: Phone) -> str:
    """Closes the on-screen keyboard, if it is open."""
    return "Keyboard dismissed" if await dismiss(phone) else "No keyboard was open"
