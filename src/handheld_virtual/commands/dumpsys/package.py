"""`dumpsys package`: resolver tables, providers and packages."""

import hashlib
from collections.abc import Iterable

from handheld.app_formats.apk.manifest import Component, Filter, ManifestKind

from ...packages.app import App
from ...packages.installing.installed import InstalledApp, apk_paths
from ...packages.intent import short_name
from ...packages.permissions import RUNTIME, SHELL_PERMISSIONS
from ...packages.record import PermissionState, describe_package, permission_states
from ...system.android import Android
from ...system.clipboard import SHELL
from ..call import CommandCall

_TABLES = {
    ManifestKind.ACTIVITY: "Activity Resolver Table:",
    ManifestKind.RECEIVER: "Receiver Resolver Table:",
    ManifestKind.SERVICE: "Service Resolver Table:",
    ManifestKind.PROVIDER: "Provider Resolver Table:",
}
_LETTERS = {
    "a": ManifestKind.ACTIVITY, "activity": ManifestKind.ACTIVITY,
    "r": ManifestKind.RECEIVER, "receiver": ManifestKind.RECEIVER,
    "s": ManifestKind.SERVICE, "service": ManifestKind.SERVICE,
    "c": ManifestKind.PROVIDER, "content": ManifestKind.PROVIDER,
}  # fmt: skip


async def package(call: CommandCall) -> None:
    words = call.arguments
    words = [word for word in words if word not in ("-a", "-f", "--all-components")]
    world = call.phone.world
    apps = sorted(world.apps.values(), key=lambda app: app.package)
    match words:
        case []:
            lines = _everything(call, apps)
        case ["r" | "resolvers", *letters]:
            kinds = [_LETTERS[letter] for letter in letters if letter in _LETTERS] or list(_TABLES)
            lines = _resolvers(apps, kinds)
        case ["prov" | "providers", *_]:
            lines = _providers(apps)
        case ["p" | "packages", *names]:
            lines = _packages(call, [app for app in apps if not names or app.package in names])
        case ["perm" | "permissions", *_]:
            lines = ["Permissions:", *_permissions()]
        case ["f" | "features", *_]:
            from ...system.hardware import HARDWARE

            lines = ["Features:", *(f"  {name}" for name in HARDWARE)]
        case ["version", *_]:
            lines = ["Database versions:", f"  sdkVersion={world.api}"]
        case ["com.android.shell", *_]:
            lines = _shell(call)
        case [name, *_] if name in world.apps:
            app = world.apps[name]
            lines = [*_resolvers([app], _TABLES), *_providers([app]), *_packages(call, [app])]
        case _:
            name = words[0]
            lines = [f"Unable to find package: {name}"]
    while lines and not lines[0]:
        del lines[0]
    await call.write("".join(f"{line}\n" for line in lines))


def _shell(call: CommandCall) -> list[str]:
    """The package of adb's shell, whose permissions belong to its shared user."""
    return [
        "Packages:",
        f"  Package [{SHELL}] ({_number(SHELL)}):",
        "    userId=2000",
        f"    sharedUser=SharedUserSetting{{{_number('shared')} android.uid.shell/2000}}",
        f"    versionCode={call.phone.world.api} minSdk={call.phone.world.api}"
        f" targetSdk={call.phone.world.api}",
        "",
        "Shared users:",
        f"  SharedUser [android.uid.shell] ({_number('shared')}):",
        "    userId=2000",
        "    install permissions:",
        *(f"      {name}: granted=true" for name in SHELL_PERMISSIONS),
    ]


def _everything(call: CommandCall, apps: list[App]) -> list[str]:
    return [
        "Database versions:",
        f"  sdkVersion={call.phone.world.api}",
        "",
        *_resolvers(apps, _TABLES),
        "",
        "Permissions:",
        *_permissions(),
        *_providers(apps),
        *_packages(call, apps),
    ]


def _number(*words: str) -> str:
    """A stable number in place of a memory address."""
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:7].lstrip("0") or "0"


# Resolver tables


def _resolvers(apps: list[App], kinds: Iterable[ManifestKind]) -> list[str]:
    lines: list[str] = []
    for kind in kinds:
        filters = [
            (app, component, number, filter)
            for app in apps
            for component in app.manifest.components
            if component.kind is kind
            for number, filter in enumerate(component.filters)
        ]
        if not filters:
            continue
        sections: dict[str, dict[str, list[str]]] = {}
        for app, component, number, filter in filters:
            entry = _entry(app, component, number, filter)
            for section, key in _places(filter):
                sections.setdefault(section, {}).setdefault(key, []).extend(entry)
        lines += ["", _TABLES[kind]]
        for place, section in enumerate(name for name in _SECTIONS if name in sections):
            lines += ["", f"  {section}:"] if place else [f"  {section}:"]
            for key, entries in sections[section].items():
                lines += [f"      {key}:", *entries]
    return lines


_SECTIONS = (
    "Full MIME Types", "Base MIME Types", "Wild MIME Types", "Schemes", "Non-Data Actions",
    "MIME Typed Actions",
)  # fmt: skip


def _places(filter: Filter) -> list[tuple[str, str]]:
    """The sections in which Android lists a filter, with its key in each."""
    if filter.mime_types:
        found = [("MIME Typed Actions", action) for action in filter.actions]
        for type in filter.mime_types:
            if type == "*/*":
                found.append(("Wild MIME Types", "*"))
            elif type.endswith("/*"):
                found.append(("Wild MIME Types", type[:-2]))
            else:
                found += [("Full MIME Types", type), ("Base MIME Types", type.partition("/")[0])]
        return found
    if filter.schemes:
        return [("Schemes", scheme) for scheme in filter.schemes]
    return [("Non-Data Actions", action) for action in filter.actions]


def _entry(app: App, component: Component, number: int, filter: Filter) -> list[str]:
    name = short_name(app.package, component.name)
    permission = f" permission {component.permission}" if component.permission else ""
    lines = [
        f"        {_number(name)} {name} filter {_number(name, str(number))}{permission}",
        *(f'          Action: "{action}"' for action in filter.actions),
        *(f'          Category: "{category}"' for category in filter.categories),
        *(f'          Scheme: "{scheme}"' for scheme in filter.schemes),
        *(f'          Authority: "{host}": -1' for host in filter.hosts),
        *(f'          StaticType: "{mime_type}"' for mime_type in filter.mime_types),
    ]
    if filter.priority:
        lines.append(
            f"          mPriority={filter.priority}, mOrder=0, mHasStaticPartialTypes=false"
        )
    return lines


# Providers and permissions


def _providers(apps: list[App]) -> list[str]:
    found = [
        (app, component, short_name(app.package, component.name))
        for app in apps
        for component in app.manifest.components
        if component.kind is ManifestKind.PROVIDER
    ]
    if not found:
        return []
    lines = ["", "Registered ContentProviders:"]
    for _, _, name in found:
        lines += [f"  {name}:", f"    Provider{{{_number('provider', name)} {name}}}"]
    lines += ["", "ContentProvider Authorities:"]
    for app, component, name in found:
        for authority in component.authorities:
            lines += [
                f"  [{authority}]:",
                f"    Provider{{{_number('provider', name)} {name}}}",
                f"      applicationInfo={_info(app.package)}",
            ]
    return lines


def _info(package: str) -> str:
    return f"ApplicationInfo{{{_number('info', package)} {package}}}"


def _permissions() -> list[str]:
    lines: list[str] = []
    for name in sorted(RUNTIME):
        lines += [
            f"  Permission [{name}] ({_number(name)}):",
            "    sourcePackage=android",
            "    uid=1000 gids=[] type=0 prot=dangerous",
        ]
    return lines


# Packages


def _packages(call: CommandCall, apps: list[App]) -> list[str]:
    lines = ["", "Packages:"]
    for app in apps:
        lines += _package(call, app)
    shared = sorted({app.shared_uid for app in apps if app.shared_uid is not None})
    if shared:
        lines += ["", "Shared users:"]
        for uid in shared:
            name = "android.uid.system" if uid == 1000 else f"android.uid.{uid}"
            world = call.phone.world
            states = [
                state
                for app in apps
                if app.shared_uid == uid
                for state in permission_states(world, app)
            ]
            lines += [f"  SharedUser [{name}] ({_number(name)}):", f"    appId={uid}"]
            lines += _fixed(states)
            lines += ["    User 0: ", *_runtime(states, world.android)]
    return lines


def _package(call: CommandCall, app: App) -> list[str]:
    world = call.phone.world
    manifest, name = app.manifest, app.package
    folder = apk_paths(world, app)[0].rpartition("/")[0]
    uid = world.running.uid(app)
    android, per_user = world.android, world.android.package_user_data
    id_line = f"appId={uid}" if android.package_app_id else f"userId={uid}"
    kept = describe_package(world, app)
    flags = _flags(app)
    lines = [
        f"  Package [{name}] ({_number('package', name)}):",
        f"    {id_line}",
        f"    pkg=Package{{{_number('pkg', name)} {name}}}",
        f"    codePath={folder}",
        f"    resourcePath={folder}",
        f"    legacyNativeLibraryDir={folder}/lib",
        "    primaryCpuAbi=arm64-v8a",
        "    secondaryCpuAbi=null",
        f"    versionCode={manifest.version_code} minSdk={manifest.min_sdk}"
        f" targetSdk={manifest.target_sdk}",
        f"    versionName={manifest.version_name}",
        f"    splits=[{', '.join(_splits(call, app))}]",
        "    apkSigningVersion=2",
        *([] if per_user else [f"    applicationInfo={_info(name)}"]),
        f"    flags=[ {flags} ]",
        *([] if per_user else [f"    dataDir=/data/user/0/{name}"]),
        "    supportsScreens=[small, medium, large, xlarge, resizeable, anyDensity]",
        f"    timeStamp={kept.updated_at}",
        *(
            []
            if android.package_user_install_time
            else [f"    firstInstallTime={kept.installed_at}"]
        ),
        f"    lastUpdateTime={kept.updated_at}",
        *([f"    installerPackageName={kept.installer}"] if kept.installer else []),
        f"    signatures=PackageSignatures{{{_number('signatures', name)} version:2,"
        f" signatures:[{_signature(app)}], past signatures:[]}}",
        "    installPermissionsFixed=true",
        f"    pkgFlags=[ {flags} ]",
    ]
    asked = manifest.permissions
    if asked:
        lines += ["    requested permissions:", *(f"      {permission}" for permission in asked)]
    states = permission_states(world, app)
    lines += _fixed(states)
    enabled = 3 if name in world.disabled_packages else 0
    stopped = "false" if world.running.pids(name) else "true" if not app.system else "false"
    distraction = "distractionFlags=0 " if android.package_distraction else ""
    lines.append(
        f"    User 0: ceDataInode=0 installed=true hidden=false suspended=false"
        f" {distraction}stopped={stopped} notLaunched=false"
        f" enabled={enabled} instant=false virtual=false"
    )
    if per_user:
        lines += ["      installReason=0", f"      dataDir=/data/user/0/{name}"]
    if android.package_user_install_time:
        lines.append(f"      firstInstallTime={kept.installed_at}")
    # The permissions of a shared uid are printed in that uid's section.
    return lines if app.shared_uid is not None else [*lines, *_runtime(states, android)]


def _fixed(states: list[PermissionState]) -> list[str]:
    """The install permissions. Permissions that are unknown to this release have no state."""
    plain = [state for state in states if not state.runtime and state.granted]
    title = ["    install permissions:"] if plain else []
    return [*title, *(f"      {state.name}: granted=true" for state in plain)]


def _runtime(states: list[PermissionState], android: Android) -> list[str]:
    lines = ["      runtime permissions:"]
    joint = "|" if android.permission_sensitivity else " "
    end = "]" if android.permission_sensitivity else " ]"
    for state in states:
        # A permission that was never requested has no state until it has flags.
        if state.runtime and (state.granted or state.flags):
            marks = f", flags=[ {joint.join(state.flags)}{end}" if state.flags else ""
            granted = str(state.granted).lower()
            lines.append(f"        {state.name}: granted={granted}{marks}")
    return lines


def _flags(app: App) -> str:
    named = {
        "SYSTEM": app.system,
        "DEBUGGABLE": app.manifest.debuggable,
        "HAS_CODE": True,
        "ALLOW_CLEAR_USER_DATA": True,
        "TEST_ONLY": app.manifest.test_only,
    }
    return " ".join(name for name, on in named.items() if on)


def _splits(call: CommandCall, app: App) -> list[str]:
    names = [path.rpartition("/")[2] for path in apk_paths(call.phone.world, app)]
    return ["base", *(name.removeprefix("split_").removesuffix(".apk") for name in names[1:])]


def _signature(app: App) -> str:
    return app.signer[:8] if isinstance(app, InstalledApp) else _number("key", "handheld")
