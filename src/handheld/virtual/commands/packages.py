"""`pm`: which apps are installed."""

from ..installed import apk_paths
from .call import Call, refuse
from .install import VERBS


async def pm(call: Call) -> None:
    match call.arguments:
        case ["list", "packages", *rest]:
            await _list_packages(call, rest)
        case ["list", "users"]:
            other = call.phone.other_user
            more = "" if other is None else f"\tUserInfo{{{other}:Work profile:1030}} running\n"
            await call.write(f"Users:\n\tUserInfo{{0:Owner:c13}} running\n{more}")
        case ["path", name]:
            found = call.phone.world.apps.get(name)
            if found is None:
                call.code = 1
            else:
                for path in apk_paths(call.phone.world, found):
                    await call.write(f"package:{path}\n")
        case [name, *rest] if name in VERBS:
            await VERBS[name](call, rest)
        case [name, *_]:
            await refuse(call, f"Unknown command: {name}")
        case _:
            await refuse(call, "Error: pm needs a command: list packages, path")


async def _list_packages(call: Call, words: list[str]) -> None:
    # Without a user all are meant, and one that the shell may not enter spoils it for the rest.
    user, other = "all", call.phone.other_user
    if "--user" in words[:-1]:
        at = words.index("--user")
        user = words[at + 1]
        words = words[:at] + words[at + 2 :]
    if other is not None and user in ("all", str(other)):
        await refuse(
            call,
            "Exception occurred while executing 'list':\njava.lang.SecurityException: Shell does"
            f" not have permission to access user {other}",
        )
        return
    if user not in ("all", "current", "cur", "0"):
        await refuse(call, f"Error: Bad user number: {user}")
        return
    wanted = {"-s": True, "-3": False}
    kinds = {wanted[word] for word in words if word in wanted}
    filters = [word for word in words if not word.startswith("-")]
    unknown = [word for word in words if word.startswith("-") and word not in (*wanted, "-f", "-e")]
    if unknown:
        await refuse(call, f"Error: Unknown option: {unknown[0]}")
        return
    for package in sorted(call.phone.world.packages, key=lambda package: package.package):
        name = package.package
        if (kinds and package.system not in kinds) or any(part not in name for part in filters):
            continue
        app = call.phone.world.apps[name]
        path = f"{apk_paths(call.phone.world, app)[0]}=" if "-f" in words else ""
        await call.write(f"package:{path}{name}\n")
