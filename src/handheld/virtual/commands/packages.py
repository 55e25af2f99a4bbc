"""`pm` and `cmd package`: installed apps, their components and permissions."""

import re
from collections.abc import Awaitable, Callable

from ..packages.installed import InstalledApp, apk_paths
from ..packages.lifecycle import clear_data, set_enabled
from ..packages.permissions import runtime_permissions
from ..system.hardware import HARDWARE
from .call import WRONG, CommandCall, refuse
from .exceptions import throw, unknown_command
from .install import VERBS
from .resolving import QUERIES
from .users import NoSuchUser, check_user

_GROUPS = {
    "CALENDAR": ("READ_CALENDAR", "WRITE_CALENDAR"),
    "CAMERA": ("CAMERA",),
    "CONTACTS": ("READ_CONTACTS", "WRITE_CONTACTS", "GET_ACCOUNTS"),
    "LOCATION": ("ACCESS_FINE_LOCATION", "ACCESS_COARSE_LOCATION"),
    "MICROPHONE": ("RECORD_AUDIO",),
    "PHONE": ("CALL_PHONE", "READ_PHONE_STATE", "READ_PHONE_NUMBERS"),
    "SMS": ("SEND_SMS", "READ_SMS", "RECEIVE_SMS"),
    "STORAGE": ("READ_EXTERNAL_STORAGE", "WRITE_EXTERNAL_STORAGE"),
}
_LIBRARIES = (
    "android.ext.shared",
    "android.test.base",
    "android.test.mock",
    "android.test.runner",
)
_USAGE = """\
Package manager (package) commands:
  help
    Print this help text.

  path [--user USER_ID] PACKAGE
    Print the path to the .apk of the given PACKAGE.

  dump PACKAGE
    Print various system state associated with the given PACKAGE.

  list features
  list instrumentation
  list libraries
  list packages [-f] [-d] [-e] [-s] [-3] [-i] [-l] [-u] [-U]
      [--show-versioncode] [--uid UID] [--user USER_ID] [FILTER]
  list permission-groups
  list permissions [-g] [-d]
  list users

  resolve-activity [--brief] [--components] [--user USER_ID] INTENT
  query-activities [--brief] [--components] [--user USER_ID] INTENT
  query-services [--brief] [--components] [--user USER_ID] INTENT
  query-receivers [--brief] [--components] [--user USER_ID] INTENT

  install, install-create, install-write, install-commit, install-abandon, uninstall

  clear [--user USER_ID] PACKAGE
  enable [--user USER_ID] PACKAGE
  disable-user [--user USER_ID] PACKAGE
  grant [--user USER_ID] PACKAGE PERMISSION
  revoke [--user USER_ID] PACKAGE PERMISSION
  reset-permissions
  get-install-location
  get-max-users
  has-feature FEATURE_NAME
"""


async def pm(call: CommandCall) -> None:
    await package(call, call.arguments)


async def package(call: CommandCall, words: list[str]) -> None:
    """The package service's shell, for `pm` and `cmd package`."""
    match words:
        case [] | ["help"] | ["-h"]:
            await call.write(_USAGE)
            call.code = 0 if words else WRONG
        case [name, *rest] if name in VERBS:
            await VERBS[name](call, rest)
        case [name, *rest] if name in QUERIES:
            await QUERIES[name](call, rest)
        case [name, *rest] if name in _COMMANDS:
            try:
                await _COMMANDS[name](call, _without_user(call, rest))
            except NoSuchUser as problem:
                await throw(call, name, str(problem))
        case _:
            await unknown_command(call, words[0])


def _without_user(call: CommandCall, words: list[str]) -> list[str]:
    """Remove `--user`. Raises NoSuchUser."""
    if "--user" not in words[:-1]:
        return words
    at = words.index("--user")
    check_user(call, words[at + 1])
    return words[:at] + words[at + 2 :]


async def _list(call: CommandCall, words: list[str]) -> None:
    match words:
        case ["packages" | "package", *rest]:
            await _list_packages(call, rest)
        case ["users"]:
            other = call.phone.other_user
            more = "" if other is None else f"\tUserInfo{{{other}:Work profile:1030}} running\n"
            await call.write(f"Users:\n\tUserInfo{{0:Owner:c13}} running\n{more}")
        case ["features"]:
            await call.write("feature:reqGlEsVersion=0x30002\n")
            for name in HARDWARE:
                await call.write(f"feature:{name}\n")
        case ["libraries"]:
            for name in _LIBRARIES:
                await call.write(f"library:{name}\n")
        case ["instrumentation", *_]:
            pass
        case ["permission-groups"]:
            for name in sorted(_GROUPS):
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
    if call.phone.other_user is not None and "--user" not in call.arguments:
        # Without a user all are listed, which fails for one that the shell may not access.
        check_user(call, "all")
    flags: set[str] = set()
    filters: list[str] = []
    uid: int | None = None
    rest = iter(words)
    known = {
        "-f",
        "-d",
        "-e",
        "-s",
        "-3",
        "-i",
        "-l",
        "-u",
        "-U",
        "-a",
        "-lf",
        "--show-versioncode",
    }
    known |= {"--apex-only", "--factory-only"} if world.android.pm_list_apex else set()
    known |= {"--show-stopped"} if world.android.pm_list_stopped else set()
    for word in rest:
        if word == "--uid":
            text = next(rest, "")
            uid = int(text) if re.fullmatch("[0-9]{1,9}", text) else -1
            flags.add("-U")
        elif word in known:
            flags |= {"-f"} if word == "-lf" else {word}
        elif word.startswith("-"):
            call.code = WRONG
            await call.write(f"Error: Unknown option: {word}\n")
            return
        else:
            filters.append(word)
    for name in sorted(world.apps):
        app = world.apps[name]
        disabled = name in world.disabled_packages
        number = world.running.uid(app)
        if (
            ("-s" in flags and not app.system)
            or ("-3" in flags and app.system)
            or ("-d" in flags and not disabled)
            or ("-e" in flags and disabled)
            or "--apex-only" in flags
            or (filters and filters[0] not in name)
            or (uid is not None and uid != number)
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


async def _list_permissions(call: CommandCall, words: list[str]) -> None:
    flags = set("".join(word[1:] for word in words if word.startswith("-") and word[:2] != "--"))
    if flags - set("gdu") or any(word[:2] == "--" for word in words):
        call.code = 1
        await call.write(f"Error: Unknown option: {words[0]}\n")
        return
    runtime = sorted(runtime_permissions(call.phone.world.android))
    await call.write("Dangerous Permissions:\n\n" if "d" in flags else "All Permissions:\n\n")
    if "g" not in flags:
        for name in runtime:
            await call.write(f"permission:{name}\n")
        return
    grouped: set[str] = set()
    for group in sorted(_GROUPS):
        await call.write(f"group:android.permission-group.{group}\n")
        for short in _GROUPS[group]:
            name = f"android.permission.{short}"
            if name in runtime:
                grouped.add(name)
                await call.write(f"  permission:{name}\n")
        await call.write("\n")
    await call.write("ungrouped:\n")
    for name in runtime:
        if name not in grouped:
            await call.write(f"  permission:{name}\n")


async def _path(call: CommandCall, words: list[str]) -> None:
    if not words:
        call.code = 1
        await refuse(call, "Error: no package specified", 1)
        return
    app = call.phone.world.apps.get(words[0])
    if app is None:
        call.code = 1
        return
    for path in apk_paths(call.phone.world, app):
        await call.write(f"package:{path}\n")


async def _dump(call: CommandCall, words: list[str]) -> None:
    from .dumpsys import SERVICES

    if len(words) != 1:
        await refuse(call, "Error: no package specified", 1)
        return
    await call.write("DUMP OF SERVICE package:\n")
    await SERVICES["package"](call, words)


async def _clear(call: CommandCall, words: list[str]) -> None:
    world = call.phone.world
    words = [word for word in words if word != "--cache-only"]
    if not words:
        await refuse(call, "Error: no package specified", 1)
        return
    app = world.apps.get(words[0])
    if app is None:
        await refuse(call, "Failed", 1)
        return
    clear_data(world, app.package)
    await call.write("Success\n")


async def _set_enabled(call: CommandCall, words: list[str], verb: str) -> None:
    state = {"enable": "enabled", "disable-user": "disabled-user", "disable": "disabled"}[verb]
    world = call.phone.world
    if not words:
        await refuse(call, "Error: no package or component specified", 1)
        return
    name = words[0]
    number = {"enable": 1, "disable": 2, "disable-user": 3}[verb]
    if name.partition("/")[0] not in world.apps:
        await throw(
            call,
            verb,
            f"java.lang.IllegalArgumentException: Unknown package: {name.partition('/')[0]}",
        )
        return
    if "/" in name or verb == "disable":
        shown = name if "/" in name else "null"
        await throw(
            call,
            verb,
            "java.lang.SecurityException: Shell cannot change component state for"
            f" {shown} to {number}",
        )
        return
    set_enabled(world, name, verb == "enable")
    await call.write(f"Package {name} new state: {state}\n")


async def _enable(call: CommandCall, words: list[str]) -> None:
    await _set_enabled(call, words, "enable")


async def _disable(call: CommandCall, words: list[str]) -> None:
    await _set_enabled(call, words, "disable")


async def _disable_user(call: CommandCall, words: list[str]) -> None:
    await _set_enabled(call, words, "disable-user")


async def _grant_or_revoke(call: CommandCall, words: list[str], verb: str) -> None:
    world = call.phone.world
    if len(words) < 2:
        missing = "package" if not words else "permission"
        await refuse(call, f"Error: no {missing} specified", 1)
        return
    name, permission = words[:2]
    app = world.apps.get(name)
    if app is None:
        problem = f"java.lang.IllegalArgumentException: Unknown package: {name}"
    elif permission not in app.manifest.permissions:
        if not permission.startswith("android.permission."):
            problem = f"java.lang.IllegalArgumentException: Unknown permission: {permission}"
        else:
            problem = (
                f"java.lang.SecurityException: Package {name} has not requested permission"
                f" {permission}"
            )
    elif permission not in runtime_permissions(world.android):
        problem = (
            f"java.lang.SecurityException: Permission {permission} requested by {name} is not a"
            " changeable permission type"
        )
    else:
        if verb == "grant":
            world.permissions.grant(name, permission)
        else:
            world.permissions.revoke(name, permission)
            world.running.kill(app, "permissions revoked")
        return
    await throw(call, verb, problem)


async def _grant(call: CommandCall, words: list[str]) -> None:
    await _grant_or_revoke(call, words, "grant")


async def _revoke(call: CommandCall, words: list[str]) -> None:
    await _grant_or_revoke(call, words, "revoke")


async def _reset_permissions(call: CommandCall, words: list[str]) -> None:
    for name in call.phone.world.apps:
        call.phone.world.permissions.forget(name)


async def _install_location(call: CommandCall, words: list[str]) -> None:
    await call.write("0[auto]\n")


async def _max_users(call: CommandCall, words: list[str]) -> None:
    await call.write("Maximum supported users: 4\n")


async def _has_feature(call: CommandCall, words: list[str]) -> None:
    if not words:
        await refuse(call, "Error: expected FEATURE name", 1)
        return
    await call.write(f"{str(words[0] in HARDWARE).lower()}\n")
    call.code = int(words[0] not in HARDWARE)


_COMMANDS: dict[str, Callable[[CommandCall, list[str]], Awaitable[None]]] = {
    "clear": _clear,
    "disable": _disable,
    "disable-user": _disable_user,
    "dump": _dump,
    "enable": _enable,
    "get-install-location": _install_location,
    "get-max-users": _max_users,
    "grant": _grant,
    "has-feature": _has_feature,
    "list": _list,
    "path": _path,
    "reset-permissions": _reset_permissions,
    "revoke": _revoke,
}
