"""The facts of a real phone that adb can read, under the names of `facts`."""

import stat

from ..phone.phone import Phone

DOWNLOAD = "/storage/emulated/0/Download"
SETTINGS = {
    "system": ("accelerometer_rotation", "font_scale", "screen_off_timeout"),
    "secure": ("enabled_accessibility_services", "location_mode", "ui_night_mode"),
    "global": (
        "adb_enabled",
        "airplane_mode_on",
        "bluetooth_on",
        "data_roaming",
        "device_name",
        "mobile_data",
        "wifi_on",
        "zen_mode",
    ),
}
"""The settings that owners change. Other settings change by themselves on a phone in use."""


async def read_facts(phone: Phone) -> dict[str, str]:
    """Settings, installed apps, the contents of Download, and the recipients of sent messages where
    Android reveals them. Raises ToolError."""
    driver = phone.driver
    found: dict[str, str] = {}
    for table, names in SETTINGS.items():
        for name in names:
            if (value := await driver.setting(table, name)) is not None:
                found[f"setting {table} {name}"] = value
    for app in await driver.packages("all"):
        found[f"app {app.package}"] = str(app.version_code)
    for entry in await driver.list_folder(DOWNLOAD):
        folder = stat.S_ISDIR(entry.stat.mode)
        found[f"file {DOWNLOAD}/{entry.name}"] = "folder" if folder else f"{entry.stat.size} bytes"
    for id, address in (await driver.sent_messages() or {}).items():
        found[f"message to {address} #{id}"] = ""
    return found
