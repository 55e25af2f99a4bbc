"""`pm` and `cmd package`: installed apps, their components and permissions."""

from collections.abc import Awaitable, Callable

from ...packages.installing.installed import apk_paths
from ...packages.intent_arguments import BadIntent, Words, component_of
from ...packages.lifecycle import clear_data, set_enabled
from ...packages.permissions import runtime_permissions
from ...system.hardware import HARDWARE
from ..activity.resolving import QUERIES
from ..call import WRONG, CommandCall, refuse
from ..exceptions import throw, unknown_command
from ..table import DUMPS_OF_SERVICES, body_at
from ..users import NoSuchUser, check_user
from .install import VERBS
from .package_lists import list_data

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


async def package(call: CommandCall) -> None:
    """The package service's shell, for `pm` and `cmd package`."""
    words = call.arguments
    android = call.phone.world.android
    match words:
        case [] | ["help"] | ["-h"]:
            await call.write(_USAGE)
            call.code = 0 if words and android.help_succeeds else WRONG
        case [name, *_] if name in _OF_PM and call.name == "cmd" and not android.pm_in_service:
            await unknown_command(call, name)
        case [name, *rest] if name in VERBS:
            await VERBS[name](call, rest)
        case [name, *rest] if name in QUERIES:
            await QUERIES[name](call, rest)
        case [name, *rest] if name in _COMMANDS:
            try:
                await _COMMANDS[name](call, rest)
            except (BadIntent, NoSuchUser) as problem:
                await throw(call, name, str(problem))
        case _:
            await unknown_command(call, words[0])


def _operands(call: CommandCall, verb: str, words: list[str]) -> list[str]:
    """The arguments without `--user`. Raises NoSuchUser, BadIntent."""
    rest = Words(words, verb)
    while (option := rest.option()) is not None:
        if option == "--user":
            check_user(call, rest.value())
    found: list[str] = []
    while (word := rest.next()) is not None:
        found.append(word)
    return found


async def _path(call: CommandCall, words: list[str]) -> None:
    rest = Words(words, "path")
    if rest.option() == "--user":
        check_user(call, rest.value())
    app = call.phone.world.apps.get(rest.value())
    if app is None:
        call.code = 1
        return
    for path in apk_paths(call.phone.world, app):
        await call.write(f"package:{path}\n")


async def _dump(call: CommandCall, words: list[str]) -> None:
    if len(words) != 1:
        await refuse(call, "Error: no package specified", 1)
        return
    await call.write("DUMP OF SERVICE package:\n")
    call.arguments = words
    await body_at(DUMPS_OF_SERVICES["package"])(call)


async def _clear(call: CommandCall, words: list[str]) -> None:
    world = call.phone.world
    words = _operands(call, "clear", words)
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
    words = _operands(call, verb, words)
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
        shown = "/".join(component_of(name)) if "/" in name else "null"
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
    words = _operands(call, verb, words)
    if len(words) < 2:
        missing = "package" if not words else "permission"
        await refuse(call, f"Error: no {missing} specified", 1)
        return
    name, permission = words[:2]
    app = world.apps.get(name)
    if app is None and world.android.grant_checks_package:
        await call.write("Failure [package not found]\n")
        await refuse(call, "Error: package not found", 1)
        return
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
    "list": list_data,
    "path": _path,
    "reset-permissions": _reset_permissions,
    "revoke": _revoke,
}
_OF_PM = frozenset(_COMMANDS) - {"list", "has-feature"}
"""The commands that up to Android 8.1 only the program `pm` has."""
