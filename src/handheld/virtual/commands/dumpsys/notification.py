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
    return [
        f"    NotificationRecord(0x{identity('notification', number):0>8}: pkg={posted.package} "
        f"user=UserHandle{{0}} id={number} tag=null importance=3 key={key}: "
        "Notification(channel=default shortcut=null contentView=null vibrate=null sound=null "
        "defaults=0x0 flags=0x10 color=0x00000000 vis=PRIVATE))",
        f"      uid={uid} userId=0",
        "      flags=0x10",
        "      pri=0",
        f"      key={key}",
        "      extras={",
        *(
            f"          {name}=String {f'({text})' if shown else f'[length={len(text)}]'}"
            for name, text in texts.items()
        ),
        "      }",
        f"      mCreationTimeMs={int(when.timestamp() * 1000)}",
    ]
