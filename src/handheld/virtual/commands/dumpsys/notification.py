"""`dumpsys notification`: the posted notifications."""

from datetime import timedelta

from ...system.identity import identity
from ...system.notifications import Notification
from ...world import World
from ..call import CommandCall


async def notification(call: CommandCall, words: list[str]) -> None:
    """Texts are printed with `--noredact` or `--reveal` only."""
    shown = "--noredact" in words or "--reveal" in words
    world = call.phone.world
    world.settle()
    lines = ["Current Notification Manager state:", "  Notification List:"]
    for posted in world.notifications.posted:
        lines += record(world, posted, shown)
    await call.write("\n".join(lines) + "\n")


def key_of(world: World, posted: Notification) -> str:
    return f"0|{posted.package}|{posted.id}|{posted.tag or 'null'}|{_uid(world, posted)}"


def _uid(world: World, posted: Notification) -> int:
    app = world.apps.get(posted.package)
    return world.running.uid(app) if app is not None else 1000


def describe(world: World, posted: Notification) -> str:
    """Android's Notification.toString()."""
    android = world.android
    named = android.notification_flag_names
    kind = "shortcut=null" if android.notification_shortcut else "pri=0"
    return (
        f"Notification(channel={posted.channel} {kind} contentView=null vibrate=null sound=null "
        f"defaults={'0' if named else '0x0'} flags={_flags(world, posted)} color=0x00000000 "
        "vis=PRIVATE)"
    )


def _flags(world: World, posted: Notification) -> str:
    if world.android.notification_flag_names:
        return "0" if posted.stays else "AUTO_CANCEL"
    return "0x0" if posted.stays else "0x10"


def record(world: World, posted: Notification, shown: bool) -> list[str]:
    uid, key = _uid(world, posted), key_of(world, posted)
    when = world.wall.now() - timedelta(milliseconds=world.timers.now() - posted.posted)
    texts = {"android.title": posted.title, "android.text": posted.text}
    android = world.android
    extra = " " * 2 * android.notification_extras_indented
    more = ""
    if android.notification_channel_first:
        more = f" channel={posted.channel}"
    elif android.notification_importance_locked:
        more = "appImportanceLocked=false"
    return [
        f"    NotificationRecord(0x{identity('notification', key):0>8}: pkg={posted.package} "
        f"user=UserHandle{{0}} id={posted.id} tag={posted.tag or 'null'} importance=3 "
        f"key={key}{more}: {describe(world, posted)})",
        f"      uid={uid} userId=0",
        *([f"      flags={_flags(world, posted)}"] if android.notification_flags_line else []),
        "      pri=0",
        f"      key={key}",
        f"{extra}      extras={{",
        *(
            f"{extra}          {name}=String{_show(world, text, shown)}"
            for name, text in texts.items()
            if text or name == "android.text"
        ),
        f"{extra}      }}",
        f"      mCreationTimeMs={int(when.timestamp() * 1000)}",
    ]


def _show(world: World, text: str, shown: bool) -> str:
    if shown:
        return f" ({text})"
    return f" [length={len(text)}]" if world.android.notification_text_lengths else ""
