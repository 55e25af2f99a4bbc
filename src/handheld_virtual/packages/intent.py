"""Intents, and the components to which they resolve."""

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from handheld.app_formats.apk.manifest import Component, Filter, ManifestKind

from ..system.android import Android

if TYPE_CHECKING:
    from ..world import World
    from .app import App

MAIN = "android.intent.action.MAIN"
VIEW = "android.intent.action.VIEW"
LAUNCHER = "android.intent.category.LAUNCHER"
DEFAULT = "android.intent.category.DEFAULT"
HOME = "android.intent.category.HOME"
NEW_TASK = 0x10000000
_HOST_MATCH = 0x300000

Value = str | int | float | bool | None | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Intent:
    action: str = ""
    data: str = ""
    type: str = ""
    identifier: str = ""
    categories: tuple[str, ...] = ()
    package: str = ""
    component: tuple[str, str] | None = None
    """The package and the fully qualified class."""
    flags: int = 0
    extended_flags: int = 0
    extras: dict[str, Value] = field(default_factory=dict[str, Value])

    @property
    def scheme(self) -> str:
        scheme, colon, _ = self.data.partition(":")
        return scheme if colon else ""

    @property
    def host(self) -> str:
        found = re.match(r"[^:]+://(?:[^/?#@]*@)?([^/?#:]*)", self.data)
        return found[1] if found is not None else ""

    def with_flags(self, flags: int) -> "Intent":
        return replace(self, flags=self.flags | flags)

    def show(self, android: Android) -> str:
        """Format the intent as Android prints it."""
        parts = {
            "act": self.action,
            "cat": f"[{','.join(self.categories)}]" if self.categories else "",
            "dat": _safe(self.data, android),
            "typ": self.type,
            "id": self.identifier,
            "flg": f"0x{self.flags:x}" if self.flags else "",
            "xflg": f"0x{self.extended_flags:x}" if self.extended_flags else "",
            "pkg": self.package,
            "cmp": short_name(*self.component) if self.component is not None else "",
        }
        words = [
            f"{name}={value}"
            for name, value in parts.items()
            if value or (name == "dat" and self.data)
        ]
        if self.extras:
            words.append("(has extras)")
        return f"Intent {{ {' '.join(words)} }}"


def short_name(package: str, name: str) -> str:
    return f"{package}/{name.removeprefix(package) if name.startswith(package + '.') else name}"


def whole_name(package: str, name: str) -> str:
    return package + name if name.startswith(".") else name


_PRIVATE = ("tel", "sip", "sms", "smsto", "mailto", "nfc")
_WEB = ("http", "https", "ftp", "rtsp")
_ADDED = {"nfc": Android.nfc_data_redacted, "rtsp": Android.rtsp_data_redacted}
"""Schemes whose data older releases print in full."""


def _safe(data: str, android: Android) -> str:
    """Redact the parts of a URI that could be private."""
    scheme, colon, rest = data.partition(":")
    known = scheme.lower() not in _ADDED or android.has(_ADDED[scheme.lower()])
    if colon and known and scheme.lower() in _PRIVATE:
        return f"{scheme}:" + re.sub(r"[^-@.]", "x", rest)
    hidden = android.intent_data_redacted
    found = re.match(r"//([^/?#]*)", rest)
    if found is not None and (hidden or (known and scheme.lower() in _WEB)):
        return f"{scheme}://{found[1].rpartition('@')[2]}/..."
    if hidden:
        return f"{scheme}:" if colon else ""
    return data.partition("#")[0]


# Resolution


@dataclass(frozen=True, slots=True)
class Match:
    app: "App"
    component: Component
    match: int
    priority: int
    is_default: bool

    @property
    def short(self) -> str:
        return short_name(self.app.package, self.component.name)

    @property
    def is_of_host(self) -> bool:
        """Whether a filter with the data's host matched: IntentFilter.MATCH_CATEGORY_HOST."""
        return self.match & 0x0FFF0000 == _HOST_MATCH


def enabled_apps(world: "World", user: int = 0) -> list["App"]:
    if user:
        return list(world.profiles[user].apps.values())
    return [app for name, app in world.apps.items() if name not in world.disabled_packages]


def find_component(
    world: "World", kind: ManifestKind, component: tuple[str, str], user: int = 0
) -> Match | None:
    """Resolve by component name only."""
    for app in enabled_apps(world, user):
        if app.package == component[0]:
            for candidate in app.manifest.components:
                if candidate.kind is kind and candidate.name == component[1] and candidate.enabled:
                    return Match(app, candidate, 0, 0, False)
    return None


def query(
    world: "World", kind: ManifestKind, intent: Intent, *, default_only: bool = False, user: int = 0
) -> list[Match]:
    """All matching components, the best first."""
    if intent.component is not None:
        found = find_component(world, kind, intent.component, user)
        return [found] if found is not None else []
    matches: list[Match] = []
    for app in enabled_apps(world, user):
        if intent.package and app.package != intent.package:
            continue
        for candidate in app.manifest.components:
            if candidate.kind is not kind or not candidate.enabled:
                continue
            scores = [
                (score, filter) for filter in candidate.filters if (score := _score(filter, intent))
            ]
            if default_only:
                scores = [pair for pair in scores if DEFAULT in pair[1].categories]
            if scores:
                score, filter = max(scores, key=lambda pair: pair[0])
                is_default = DEFAULT in filter.categories
                matches.append(Match(app, candidate, score, filter.priority, is_default))
    if kind is ManifestKind.ACTIVITY and not intent.package:
        matches = _left_by_links(world, intent, matches)
    return sorted(matches, key=lambda match: (-match.priority, not match.is_default, -match.match))


def _left_by_links(world: "World", intent: Intent, matches: list[Match]) -> list[Match]:
    """Reduce the matches of a web address to the apps that the owner or the site approved for its
    host. Without such an app, since Android 12, only browsers are left."""
    if intent.action != VIEW or intent.scheme not in ("http", "https"):
        return matches
    approved = [
        match
        for match in matches
        if match.is_of_host and intent.host in world.approved_links.get(match.app.package, ())
    ]
    if approved or not world.android.links_need_approval:
        return approved or matches
    return [match for match in matches if not match.is_of_host]


def choose(world: "World", found: list[Match]) -> Match | None:
    """The component that Android picks from the matches, which are best first; None if it asks."""
    if not found:
        return None
    first, *others = found
    if not others or (first.priority, first.is_default) != (
        others[0].priority,
        others[0].is_default,
    ):
        return first
    preferred = [
        match
        for match in found
        if (match.app.package, match.component.name) in world.preferred_activities
    ]
    return preferred[0] if preferred else None


def _score(filter: Filter, intent: Intent) -> int:
    """Android's match number; 0 when it does not match."""
    if intent.action and intent.action not in filter.actions:
        return 0
    if not intent.action and not filter.actions:
        return 0
    if set(intent.categories) - set(filter.categories):
        return 0
    normal = 0x8000
    if filter.mime_types:
        if not intent.type or not any(
            _type_fits(mime_type, intent.type) for mime_type in filter.mime_types
        ):
            return 0
        if filter.schemes and intent.scheme not in filter.schemes:
            return 0
        if not filter.schemes and intent.scheme not in ("", "content", "file"):
            return 0
        return 0x600000 + normal
    if intent.type:
        return 0
    if not filter.schemes:
        return 0x100000 + normal if not intent.data else 0
    if intent.scheme not in filter.schemes:
        return 0
    if filter.hosts:
        return (
            _HOST_MATCH + normal
            if any(_host_fits(host, intent.host) for host in filter.hosts)
            else 0
        )
    return 0x200000 + normal


def _host_fits(pattern: str, host: str) -> bool:
    if pattern.startswith("*"):
        return host.lower().endswith(pattern[1:].lower())
    return host.lower() == pattern.lower()


def _type_fits(pattern: str, type: str) -> bool:
    if "*" in (pattern, type) or "*/*" in (pattern, type):
        return True
    base, _, rest = pattern.partition("/")
    other, _, other_rest = type.partition("/")
    return base == other and (rest == other_rest or "*" in (rest, other_rest))
