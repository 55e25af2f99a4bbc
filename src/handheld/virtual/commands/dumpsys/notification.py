"""`dumpsys notification`: the posted notifications."""

from datetime import timedelta

from ...system.notifications import Notification
from ...world import World
from ..call import CommandCall
from ..identity import identity


async def notification(call: CommandCall, words: list[str]) -> None:
    """Texts are printed with `--noredact` or `--reveal` only."""
    shown = "--noredact" in words or "--reveal" in words
    world = call.phone.world
    world.settle()
    lines = ["Current Notification Manager state:", "  Notification List:"]
    for posted in world.notifications.posted:
        lines += _record(world, posted, shown)
    await call.write("\n".join(lines) + "\n")


def _record(world: World, posted: Notification, shown: bool) -> list[str]:
    app = world.apps.get(posted.package)
    uid = world.running.uid(app) if app is not None else 1000
    # Apps number their notifications; ours are identified by their time.
    number = int(posted.posted)
    key = f"0|{posted.package}|{number}|null|{uid}"
    when = world.wall.now() - timedelta(milliseconds=world.timers.now() - posted.posted)
    texts = {"android.title": posted.title, "android.text": posted.text}
    android = world.android
    named = android.notification_flag_names
    flags, defaults = ("AUTO_CANCEL", "0") if named else ("0x10", "0x0")
    extra = " " * 2 * android.notification_extras_indented
    more = ""
    if android.notification_channel_first:
        more = " channel=default"
    elif android.notification_importance_locked:
        more = "appImportanceLocked=false"
    kind = "shortcut=null" if android.notification_shortcut else "pri=0"
    return [
        f"    NotificationRecord(0x{identity('notification', number):0>8}: pkg={posted.package} "
        f"user=UserHandle{{0}} id={number} tag=null importance=3 key={key}{more}: "
        f"Notification(channel=default {kind} contentView=null vibrate=null sound=null "
        f"defaults={defaults} flags={flags} color=0x00000000 vis=PRIVATE))",
        f"      uid={uid} userId=0",
        *([f"      flags={flags}"] if android.notification_flags_line else []),
        "      pri=0",
        f"      key={key}",
        f"{extra}      extras={{",
        *(
            f"{extra}          {name}=String{_show(world, text, shown)}"
            for name, text in texts.items()
        ),
        f"{extra}      }}",
        f"      mCreationTimeMs={int(when.timestamp() * 1000)}",
    ]


def _show(world: World, text: str, shown: bool) -> str:
    if shown:
        return f" ({text})"
    return f" [length={len(text)}]" if world.android.notification_text_lengths else ""
