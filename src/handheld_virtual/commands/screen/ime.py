"""`ime`: the phone's keyboards."""

from handheld.app_formats.apk.manifest import ManifestKind

from ...system.preferences import LATIN
from ..call import WRONG, CommandCall
from ..exceptions import unknown_command

BIND = "android.permission.BIND_INPUT_METHOD"
ACTION = "android.view.InputMethod"


def keyboards(call: CommandCall) -> list[str]:
    """All installed input methods; the phone's own is first."""
    found = [LATIN]
    for app in call.phone.world.apps.values():
        for component in app.manifest.components:
            answers = any(ACTION in filter.actions for filter in component.filters)
            if component.kind is ManifestKind.SERVICE and component.permission == BIND and answers:
                found.append(f"{app.package}/{component.name.removeprefix(app.package)}")
    return found


def _enabled(call: CommandCall) -> list[str]:
    text = call.phone.world.preferences.get("secure", "enabled_input_methods") or ""
    return [entry.partition(";")[0] for entry in text.split(":") if entry]


async def ime(call: CommandCall) -> None:
    words = call.arguments
    preferences = call.phone.world.preferences
    if "--user" in words[:-1]:
        at = words.index("--user")
        words = words[:at] + words[at + 2 :]
    match words:
        case ["list", *flags] if set(flags) <= {"-a", "-s"}:
            for name in keyboards(call) if "-a" in flags else _enabled(call):
                await _show(call, name, "-s" in flags)
        case ["enable" | "disable" as verb, name]:
            await _switch(call, name, verb == "enable")
        case ["set", name]:
            if name not in _enabled(call):
                call.code = WRONG
                await call.write(f"Unknown input method {name} cannot be selected for user #0\n")
                return
            preferences.put("secure", "default_input_method", name)
            user = " for user #0" if call.phone.world.android.ime_names_user else ""
            await call.write(f"Input method {name} selected{user}\n")
        case ["reset"]:
            preferences.put("secure", "enabled_input_methods", LATIN)
            preferences.put("secure", "default_input_method", LATIN)
            await call.write(
                f"Reset current and enabled IMEs for user #0\n  Newly selected IME: {LATIN}\n"
                f"  Newly enabled IMEs:\n    {LATIN}\n"
            )
        case ["help"] | []:
            await call.write(
                "ime <command>:\n  list [-a] [-s]\n    prints all enabled input methods.\n"
                "  enable [--user <USER_ID>] <ID>\n  disable [--user <USER_ID>] <ID>\n"
                "  set [--user <USER_ID>] <ID>\n  reset [--user <USER_ID>]\n"
            )
        case _:
            await unknown_command(call, words[0])


async def _show(call: CommandCall, name: str, short: bool) -> None:
    if short:
        await call.write(f"{name}\n")
        return
    package, _, rest = name.partition("/")
    whole = package + rest if rest.startswith(".") else rest
    default = call.phone.world.preferences.get("secure", "default_input_method") == name
    await call.write(
        f"{name}:\n  mId={name} mSettingsActivityName=null mIsVrOnly=false"
        " mSupportsSwitchingToNextInputMethod=false\n"
        f"  mIsDefaultResId=0x0\n  Service:\n    priority=0 preferredOrder=0 match=0x108000"
        f" specificIndex=-1 isDefault={str(default).lower()}\n    ServiceInfo:\n"
        f"      name={whole}\n      packageName={package}\n"
    )


async def _switch(call: CommandCall, name: str, on: bool) -> None:
    preferences = call.phone.world.preferences
    user = " for user #0" if call.phone.world.android.ime_names_user else ""
    if name not in keyboards(call):
        call.code = WRONG
        await call.write(
            f"Unknown input method {name} cannot be {'enabled' if on else 'disabled'}{user}\n"
        )
        return
    enabled = _enabled(call)
    words = ("now", "already") if (name in enabled) != on else ("already", "now")
    state = "enabled" if on else "disabled"
    changed = (
        [*enabled, name]
        if on and name not in enabled
        else [entry for entry in enabled if on or entry != name]
    )
    preferences.put("secure", "enabled_input_methods", ":".join(changed))
    await call.write(f"Input method {name}: {words[0]} {state}{user}\n")
