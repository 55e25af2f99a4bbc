"""`pm`: which apps are installed."""

import io
import zipfile

from ..files import ROOT
from ..world import Package
from .call import Call, refuse


async def pm(call: Call) -> None:
    match call.arguments:
        case ["list", "packages", *rest]:
            await _list_packages(call, rest)
        case ["list", "users"]:
            other = call.phone.other_user
            more = "" if other is None else f"\tUserInfo{{{other}:Work profile:1030}} running\n"
            await call.write(f"Users:\n\tUserInfo{{0:Owner:c13}} running\n{more}")
        case ["path", name]:
            found = next((p for p in call.phone.world.packages if p.package == name), None)
            if found is None:
                call.code = 1
            else:
                await call.write(f"package:{_apk(call, found)}\n")
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
        path = f"{_apk(call, package)}=" if "-f" in words else ""
        await call.write(f"package:{path}{name}\n")


def _apk(call: Call, package: Package) -> str:
    """The package's file. Apps here are not made of APKs, so that it is an archive of nothing."""
    if package.system:
        path = f"/system/app/{package.package}/{package.package}.apk"
    else:
        path = f"/data/app/~~{package.package}==/{package.package}-1==/base.apk"
    if not call.files.exists(path, ROOT):
        empty = io.BytesIO()
        zipfile.ZipFile(empty, "w").close()
        call.files.make_folder(path.rpartition("/")[0], 0o755, parents=True, user=ROOT)
        call.files.write(path, empty.getvalue(), 0o644, user=ROOT)
    return path
