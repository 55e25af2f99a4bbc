"""Events of apps before a scene begins: posted notifications, links that the owner assigned to
apps, and crashes; and profiles with their own apps."""

from dataclasses import dataclass

from ..packages.profiles import TYPES
from .table import SceneTable

CRASHES = ("crash", "native_crash", "anr", "low_memory")
"""The kinds of crashes in scenes."""


@dataclass(frozen=True, slots=True)
class SceneNotification:
    package: str
    title: str
    text: str
    big_text: str
    sub_text: str
    tag: str
    group: str
    ongoing: bool
    reply: str
    """The title of the reply action; "" for none."""
    buttons: tuple[str, ...]
    user: int
    """The user whose app posted it; 0 is the first user."""


@dataclass(frozen=True, slots=True)
class SceneLinks:
    """The intents and links that an app opens without asking the owner."""

    package: str
    activity: str
    """The activity that the owner chose to always handle an intent; "" for none."""
    hosts: tuple[str, ...]
    """The hosts whose web links it opens instead of the browser."""


@dataclass(frozen=True, slots=True)
class SceneCrash:
    """A crash of an app before the scene begins."""

    package: str
    kind: str
    reason: str
    minutes_ago: int


@dataclass(frozen=True, slots=True)
class SceneProfile:
    """Another user whose apps are visible beside the first user's."""

    user: int
    kind: str
    apps: tuple[str, ...]
    closed: bool


def read_profile(row: SceneTable) -> SceneProfile:
    kind = row.choice("kind", "work", tuple(TYPES))
    profile = SceneProfile(
        row.number("user", 10, 10, 999), kind, row.texts("apps") or (), row.flag("closed")
    )
    row.close()
    return profile


def read_notification(row: SceneTable) -> SceneNotification:
    notification = SceneNotification(
        row.needed_text("app", 255),
        row.needed_text("title", 1000),
        row.text("text", most=5000),
        row.text("big_text", most=5000),
        row.text("sub_text", most=1000),
        row.text("tag", most=1000),
        row.text("group", most=1000),
        row.flag("ongoing"),
        row.text("reply", most=200),
        row.texts("buttons") or (),
        row.number("user", 0, 0, 999),
    )
    row.close()
    return notification


def read_links(row: SceneTable) -> SceneLinks:
    links = SceneLinks(
        row.needed_text("app", 255), row.text("activity", most=500), row.texts("hosts") or ()
    )
    row.close()
    if not (links.activity or links.hosts):
        raise row.fail("app", "needs activity or hosts beside it")
    return links


def read_crash(row: SceneTable) -> SceneCrash:
    crash = SceneCrash(
        row.needed_text("app", 255),
        row.choice("kind", "crash", CRASHES),
        row.text("reason", "Something went wrong", 1000),
        row.number("minutes_ago", 0, 0, 10_000_000),
    )
    row.close()
    return crash
