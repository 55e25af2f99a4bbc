"""Finds an app by the name that a model gives it."""

import re
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import NamedTuple

from ...driver.apps import Installed, Profile
from ...errors import ActionFailed, ToolError
from ...phone.phone import Phone
from ...screen.rows.words import clean, cut, fold

MOST_NEAR = 5
MOST_LISTED = 8
_NOT_APPS = frozenset(
    {"provider", "providers", "overlay", "overlays", "resources", "server", "service", "theme"}
)
"""Parts in the names of packages that cannot be opened."""
_COMMON = frozenset({"com", "org", "net", "android", "google", "apps", "app"})
"""Parts that do not identify an app."""
_OTHER_NAMES = {
    "clock": {"deskclock"},
    "phone": {"dialer"},
    "messages": {"messaging", "mms"},
    "files": {"documentsui"},
    "play store": {"vending"},
    "gmail": {"gm"},
    "drive": {"docs"},
}
"""Names of Android's and Google's own apps, and the matching parts of their packages."""


class FoundApp(NamedTuple):
    package: str
    called: str
    """Its name in the reply."""
    profile: Profile | None = None
    """None if it belongs to the current user."""


async def find_anywhere(phone: Phone, name: str) -> FoundApp:
    """Find an app by its name or package, in a profile if the name ends with its kind: `Slack
    (work)`. Raises ToolError."""
    own, kind = _split_kind(name)
    if kind:
        for profile in await phone.driver.profiles():
            if fold(profile.kind) == kind:
                package, called = _choose(await phone.driver.packages("all", profile.user), own)
                return FoundApp(package, f"{called} ({profile.kind})", profile)
    try:
        return FoundApp(*await find_app(phone, name))
    except ActionFailed as failure:
        for profile in [] if kind else await phone.driver.profiles():
            with suppress(ToolError):
                _, called = _choose(await phone.driver.packages("all", profile.user), own)
                failure.message += f" {called} is in a profile: call it {own} ({profile.kind})."
        raise


def _split_kind(name: str) -> tuple[str, str]:
    """Split off a final part in parentheses."""
    name = name.strip()
    if not name.endswith(")"):
        return name, ""
    own, _, kind = name[:-1].rpartition("(")
    return own.strip(), fold(kind)


async def find_app(phone: Phone, name: str) -> tuple[str, str]:
    """Return the package of an app of the current user and its name in the reply. Raises
    ActionFailed."""
    return _choose(await phone.driver.packages("all"), name)


def _choose(apps: Sequence[Installed], name: str) -> tuple[str, str]:
    wanted, words = fold(name), cut(clean(name), 60)
    for app in apps:
        if app.package == name.strip():
            return app.package, _called(app)
    # adb's shell lists packages without names.
    unnamed = all(app.label == app.package for app in apps)
    if unnamed:
        found = _by_package(apps, wanted)
    else:
        found = [app for app in apps if fold(app.label) == wanted]
    if len(found) == 1:
        return found[0].package, _called(found[0])
    if found:
        packages = ", ".join(app.package for app in found[:MOST_LISTED])
        fit = f'fit "{words}"' if unnamed else f'are called "{words}"'
        raise ActionFailed(f"{len(found)} apps {fit}: {packages}. Say which package.")
    close = wanted.replace(" ", "")
    near = [app for app in apps if wanted in fold(app.label) or close in app.package]
    if not near and not unnamed:
        alike = get_close_matches(
            wanted[:60], {fold(app.label)[:60] for app in apps}, MOST_NEAR, 0.8
        )
        near = [app for app in apps if fold(app.label)[:60] in alike]
    listed = ", ".join(
        app.package if unnamed else f'"{cut(clean(app.label), 40)}" ({app.package})'
        for app in near[:MOST_NEAR]
    )
    nearest = f" Nearest: {listed}." if near else ""
    if unnamed:
        raise ActionFailed(
            f'No package is named after "{words}".{nearest} Names of apps need the helper, which'
            " does not run: say the package, or tap the app on the home screen."
        )
    nearest = nearest or " phone_read apps lists those that are installed."
    raise ActionFailed(f'No app is called "{words}".{nearest}')


def _called(app: Installed) -> str:
    return app.package if app.label == app.package else f'"{cut(clean(app.label), 60)}"'


def _by_package(apps: Sequence[Installed], wanted: str) -> list[Installed]:
    """Return the apps whose package's last part is the wanted name, else those with it as another
    part."""
    names = {wanted.replace(" ", ""), *_OTHER_NAMES.get(wanted, ())} - _COMMON
    last: list[Installed] = []
    other: list[Installed] = []
    for app in apps:
        parts = [_bare(part) for part in app.package.lower().split(".")]
        if _NOT_APPS.isdisjoint(parts):
            if parts[-1] in names:
                last.append(app)
            elif not names.isdisjoint(parts):
                other.append(app)
    return last or other


def _bare(part: str) -> str:
    """Drop the version in some of Android's packages, such as calculator2 or launcher3."""
    return re.sub(r"\d$", "", part)
