"""`resolve-activity`, `query-activities` and so on: the components that would receive an intent."""

import re
from collections.abc import Awaitable, Callable

from handheld.app_formats.apk.manifest import ManifestKind

from ...packages.installing.installed import apk_paths
from ...packages.intent import Intent, Match, choose, query
from ...packages.intent_arguments import BadIntent, Words, parse_intent
from ..call import CommandCall
from ..exceptions import throw
from ..users import NoSuchUser, find_user

_OPTIONS = {"--brief": False, "--components": False, "--user": True, "--query-flags": True}
DEFAULT_ONLY = 0x10000
_INFO = {
    ManifestKind.ACTIVITY: "ActivityInfo",
    ManifestKind.SERVICE: "ServiceInfo",
    ManifestKind.RECEIVER: "ActivityInfo",
}


async def _read(
    call: CommandCall, verb: str, words: list[str]
) -> tuple[Intent, dict[str, str]] | None:
    own = dict(_OPTIONS)
    if not call.phone.world.android.pm_query_flags:
        del own["--query-flags"]
    try:
        intent, options = parse_intent(Words(words, verb), call.phone.world.android, own)
        find_user(call, options.get("--user", "0"))
        return intent, options
    except (BadIntent, NoSuchUser) as problem:
        await throw(call, verb, str(problem))
    return None


async def _resolve(call: CommandCall, words: list[str]) -> None:
    read = await _read(call, "resolve-activity", words)
    if read is None:
        return
    intent, options = read
    world = call.phone.world
    user = find_user(call, options.get("--user", "0"))
    found = query(
        world, ManifestKind.ACTIVITY, intent, default_only=_default_only(options), user=user
    )
    if not found:
        await call.write("No activity found\n")
        return
    best = choose(world, found)
    if best is None:
        await _write_chooser(call, options)
        return
    await _write(call, best, options, "")


def _default_only(options: dict[str, str]) -> bool:
    text = options.get("--query-flags", "0")
    return bool(re.fullmatch("[0-9]{1,9}", text)) and bool(int(text) & DEFAULT_ONLY)


async def _write_chooser(call: CommandCall, options: dict[str, str]) -> None:
    """Print the activity that lets the owner choose, as Android does if several components
    match."""
    if "--components" not in options:
        await call.write("priority=0 preferredOrder=0 match=0x0 specificIndex=-1 isDefault=false\n")
    if "--brief" in options or "--components" in options:
        await call.write("android/com.android.internal.app.ResolverActivity\n")
        return
    await call.write(
        "ActivityInfo:\n  name=com.android.internal.app.ResolverActivity\n  packageName=android\n"
    )


async def _query(
    call: CommandCall, words: list[str], verb: str, kind: ManifestKind, one: str, many: str
) -> None:
    read = await _read(call, verb, words)
    if read is None:
        return
    intent, options = read
    user, only = find_user(call, options.get("--user", "0")), _default_only(options)
    found = query(call.phone.world, kind, intent, default_only=only, user=user)
    if not found:
        await call.write(f"No {many} found\n")
        return
    if "--components" in options:
        for match in found:
            await call.write(f"{match.short}\n")
        return
    await call.write(f"{len(found)} {many} found:\n")
    for number, match in enumerate(found):
        await call.write(f"  {one} #{number}:\n")
        await _write(call, match, options, "    ")


async def _write(call: CommandCall, match: Match, options: dict[str, str], prefix: str) -> None:
    head = (
        f"priority={match.priority} preferredOrder=0 match=0x{match.match:x} specificIndex=-1"
        f" isDefault={str(match.is_default).lower()}"
    )
    if "--components" in options:
        await call.write(f"{prefix}{match.short}\n")
        return
    lines = [head]
    if "--brief" in options:
        lines.append(match.short)
    else:
        lines += _info(call, match)
    await call.write("".join(f"{prefix}{line}\n" for line in lines))


def _info(call: CommandCall, match: Match) -> list[str]:
    world, app, component = call.phone.world, match.app, match.component
    manifest = app.manifest
    path = apk_paths(world, app)[0]
    uid = world.running.uid(app)
    lines = [
        f"{_INFO[component.kind]}:",
        f"  name={component.name}",
        f"  packageName={app.package}",
    ]
    if component.label:
        lines.append(f"  nonLocalizedLabel={component.label}")
    lines.append(
        f"  enabled={str(component.enabled).lower()} exported={str(component.exported).lower()}"
        " directBootAware=false"
    )
    if component.permission or component.kind is ManifestKind.SERVICE:
        lines.append(f"  permission={component.permission or 'null'}")
    return [
        *lines,
        "  ApplicationInfo:",
        f"    packageName={app.package}",
        f"    labelRes=0x0 nonLocalizedLabel={app.label} icon=0x0 banner=0x0",
        f"    processName={app.package}",
        f"    taskAffinity={app.package}",
        f"    uid={uid} flags=0x{0x3E45 if app.system else 0x3E44:x} privateFlags=0x0 theme=0x0",
        f"    sourceDir={path}",
        f"    dataDir=/data/user/0/{app.package}",
        f"    enabled=true minSdkVersion={manifest.min_sdk} targetSdkVersion={manifest.target_sdk}"
        f" versionCode={manifest.version_code} targetSandboxVersion=1",
    ]


async def _query_activities(call: CommandCall, words: list[str]) -> None:
    await _query(call, words, "query-activities", ManifestKind.ACTIVITY, "Activity", "activities")


async def _query_services(call: CommandCall, words: list[str]) -> None:
    await _query(call, words, "query-services", ManifestKind.SERVICE, "Service", "services")


async def _query_receivers(call: CommandCall, words: list[str]) -> None:
    await _query(call, words, "query-receivers", ManifestKind.RECEIVER, "Receiver", "receivers")


QUERIES: dict[str, Callable[[CommandCall, list[str]], Awaitable[None]]] = {
    "query-activities": _query_activities,
    "query-receivers": _query_receivers,
    "query-services": _query_services,
    "resolve-activity": _resolve,
}
