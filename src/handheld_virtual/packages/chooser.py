"""Android's share sheet for a text, and its resolver for other intents."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from handheld.app_formats.apk.manifest import Filter, ManifestKind

from ..views.drawing import theme
from ..views.layout import Column, Grid, Row
from ..views.view import MATCH, View
from ..views.widgets.basic import Image, Text
from .delivery import open_activity
from .intent import Intent, Match, query

if TYPE_CHECKING:
    from ..world import World
    from .app import Activity

SEND = "android.intent.action.SEND"
TEXT = "android.intent.extra.TEXT"
PACKAGE, CLASS = "com.android.intentresolver", "com.android.intentresolver.ChooserActivity"
OLD_PACKAGE, OLD_CLASS = "android", "com.android.internal.app.ChooserActivity"
SHARED = Filter((SEND,), ("android.intent.category.DEFAULT",), mime_types=("text/plain",))
"""The filter of an activity that accepts a text."""
RESOLVER_CLASS = "com.android.internal.app.ResolverActivity"
COLUMNS = 4


def open_chooser(activity: "Activity", text: str) -> None:
    """Open the share sheet over the activity; the chosen app receives the text."""
    world = activity.world
    intent = Intent(action=SEND, type="text/plain", extras={TEXT: text})
    separate = world.android.intent_resolver
    package, component = (PACKAGE, CLASS) if separate else (OLD_PACKAGE, OLD_CLASS)

    def take(match: Match) -> None:
        name = match.component.name
        kind = next(k for k in match.app.activities.values() if k(match.app).class_name == name)
        world.open(kind(match.app, {TEXT: text}))

    matches = query(world, ManifestKind.ACTIVITY, intent, default_only=True)
    preview = Text(
        text,
        id=f"{package}:id/content_preview_text",
        size=14,
        most_lines=3,
        width=MATCH,
        padding=16,
        radius=16,
        background=theme.SURFACE_HIGH,
    )
    _show(activity, (package, component), "Share", [preview], matches, take)


def open_resolver(world: "World", intent: Intent, matches: list[Match]) -> str:
    """Let the owner choose which app handles an intent; return the resolver's component."""

    def take(match: Match) -> None:
        open_activity(world, intent, match)

    _show(world.front, (OLD_PACKAGE, RESOLVER_CLASS), "Open with", [], matches, take)
    return f"{OLD_PACKAGE}/{RESOLVER_CLASS}"


def _show(
    activity: "Activity",
    component: tuple[str, str],
    title: str,
    parts: list[View],
    matches: list[Match],
    take: Callable[[Match], object],
) -> None:
    world, (package, name) = activity.world, component

    def close() -> None:
        world.system_dialogs.close(dialog)

    def choose(match: Match) -> None:
        close()
        take(match)

    root = Column(
        Row(
            Text(title, size=18, id=f"{package}:id/title"),
            id=f"{package}:id/chooser_header",
            width=MATCH,
            content_gravity="center",
            class_name="android.widget.RelativeLayout",
        ),
        *parts,
        Grid(
            *(_target(match, package, lambda match=match: choose(match)) for match in matches),
            columns=COLUMNS,
            width=MATCH,
            id=f"{package}:id/resolver_list",
            class_name="com.android.internal.widget.RecyclerView"
            if package == OLD_PACKAGE
            else "androidx.recyclerview.widget.RecyclerView",
        ),
        gap=16,
        padding=(16, 20),
        width=MATCH,
        radius=28,
        background=theme.SURFACE,
        id=f"{package}:id/contentPanel",
        class_name="android.view.ViewGroup",
    )
    dialog = world.system_dialogs.open(
        package, name, title, root, type="APPLICATION", over=activity, on_back=close
    )
    dialog.at_bottom = True


def _target(match: Match, package: str, action: Callable[[], object]) -> View:
    app = match.app
    return Column(
        Image(
            app.icon,
            letter="" if app.icon else app.label[:1],
            id=f"{package}:id/icon",
            width=48,
            height=48,
            padding=12,
            radius=24,
            background=app.color,
            color=theme.WHITE,
            gravity="center",
        ),
        Text(
            app.label, id=f"{package}:id/text1", size=12, align="center", width=MATCH, most_lines=1
        ),
        gap=6,
        padding=(4, 8),
        on_click=action,
        id=f"{package}:id/item",
    )
