"""`pm list`: packages, permissions and features."""

import re

from ...packages.installing.installed import InstalledApp, apk_paths
from ...packages.intent_arguments import BadIntent, Words
from ...packages.permissions import runtime_permissions
from ...system.android import Android
from ...system.hardware import HARDWARE
from ..call import WRONG, CommandCall
from ..users import NoSuchUser, check_number, find_user, list_users

GROUPS = {
    "CALENDAR": ("READ_CALENDAR", "WRITE_CALENDAR"),
    "CAMERA": ("CAMERA",),
    "CONTACTS": ("READ_CONTACTS", "WRITE_CONTACTS", "GET_ACCOUNTS"),
    "LOCATION": ("ACCESS_FINE_LOCATION", "ACCESS_COARSE_LOCATION"),
    "MICROPHONE": ("RECORD_AUDIO",),
    "PHONE": ("CALL_PHONE", "READ_PHONE_STATE", "READ_PHONE_NUMBERS"),
    "SMS": ("SEND_SMS", "READ_SMS", "RECEIVE_SMS"),
    "STORAGE": ("READ_EXTERNAL_STORAGE", "WRITE_EXTERNAL_STORAGE"),
}
LIBRARIES = (
    "android.ext.shared",
    "android.test.base",
    "android.test.mock",
    "android.test.runner",
)
_PACKAGE_OPTIONS = frozenset(
    ("-f", "-d", "-e", "-s", "-3", "-i", "-l", "-u", "-U", "--show-versioncode")
)
_PACKAGE_OPTIONS_ADDED = {
    "-a": Android.pm_list_apex,
    "--apex-only": Android.pm_list_apex,
    "--factory-only": Android.pm_list_stopped,
    "--match-libraries": Android.pm_list_stopped,
    "--show-stopped": Android.pm_list_stopped,
}


async def list_data(call: CommandCall, words: list[str]) -> None:
    """`pm list TYPE`. Raises NoSuchUser, BadIntent."""
    match words:
        case ["packages" | "package", *rest]:
            await _list_packages(call, rest)
        case ["users"]:
            await list_users(call)
        case ["features"]:
            await call.write("feature:reqGlEsVersion=0x30002\n")
            for name in HARDWARE:
                await call.write(f"feature:{name}\n")
        case ["libraries"]:
            for name in LIBRARIES:
                await call.write(f"library:{name}\n")
        case ["instrumentation", *_]:
            pass
        case ["permission-groups"]:
            for name in sorted(GROUPS):
                await call.write(f"permission group:android.permission-group.{name}\n")
        case ["permissions", *rest]:
            await _list_permissions(call, rest)
        case [name, *_]:
            call.code = WRONG
            await call.write(f"Error: unknown list type '{name}'\n")
        case _:
            call.code = WRONG
            await call.write("Error: didn't specify type of data to list\n")


async def _list_packages(call: CommandCall, words: list[str]) -> None:
    world = call.phone.world
    known = _PACKAGE_OPTIONS | {
        name for name, change in _PACKAGE_OPTIONS_ADDED.items() if world.android.has(change)
    }
    flags: set[str] = set()
    uid, user = -1, "all"
    rest = Words(words, "packages")
    try:
        while (option := rest.option()) is not None:
            if option == "--uid":
                uid = _number(rest.value())
                flags.add("-U")
            elif option == "--user":
                user = rest.value()
                check_number(user)
            elif option in known:
                flags.add(option)
            else:
                call.code = WRONG
                await call.write(f"Error: Unknown option: {option}\n")
                return
    except (BadIntent, NoSuchUser) as problem:
        call.code = WRONG
        await call.write(f"Error: {problem}\n")
        return
    filter = rest.next() or ""
    # Without --user, Android lists all users, which fails if the shell may not access one.
    number_of = find_user(call, user)
    apps = world.profiles[number_of].apps if number_of else world.apps
    for name in sorted(apps):
        app = apps[name]
        disabled = not number_of and name in world.disabled_packages
        number = world.running.uid(app)
        if (
            ("-s" in flags and not app.system)
            or ("-3" in flags and app.system)
            or ("-d" in flags and not disabled)
            or ("-e" in flags and disabled)
            or "--apex-only" in flags
            or filter not in name
            or uid not in (-1, number)
        ):
            continue
        line = "package:" + (f"{apk_paths(world, app)[0]}=" if "-f" in flags else "") + name
        if "--show-versioncode" in flags:
            line += f" versionCode:{app.version_code}"
        if "--show-stopped" in flags:
            line += f" stopped={str(not world.running.pids(name)).lower()}"
        if "-i" in flags:
            installer = app.installer if isinstance(app, InstalledApp) else None
            line += f"  installer={installer or 'null'}"
        if "-U" in flags:
            line += f" uid:{number}"
        await call.write(line + "\n")


def _number(text: str) -> int:
    if not re.fullmatch("[-+]?[0-9]{1,9}", text):
        raise BadIntent(f'java.lang.NumberFormatException: For input string: "{text}"')
    return int(text)


async def _list_permissions(call: CommandCall, words: list[str]) -> None:
    flags: set[str] = set()
    rest = Words(words, "permissions")
    while (option := rest.option()) is not None:
        if option not in ("-g", "-d", "-u"):
            call.code = 1
            await call.write(f"Error: Unknown option: {option}\n")
            return
        flags.add(option)
    runtime = sorted(runtime_permissions(call.phone.world.android))
    title = "Dangerous" if "-d" in flags else "All"
    if "-u" in flags:
        title = "Dangerous and Normal"
    await call.write(f"{title} Permissions:\n\n")
    grouped = {f"android.permission.{name}" for names in GROUPS.values() for name in names}
    others = [name for name in runtime if name not in grouped]
    if "-g" not in flags:
        # Android queries the permissions without a group from the service.
        for name in others:
            await call.write(f"permission:{name}\n")
        return
    for group in sorted(GROUPS):
        await call.write(f"group:android.permission-group.{group}\n")
        for name in runtime:
            if name.removeprefix("android.permission.") in GROUPS[group]:
                await call.write(f"  permission:{name}\n")
        await call.write("\n")
    await call.write("ungrouped:\n")
    for name in others:
        await call.write(f"  permission:{name}\n")
