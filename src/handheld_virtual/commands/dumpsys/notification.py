"""`dumpsys notification`: the posted notifications, in text and as a protocol buffer."""

from itertools import pairwise

from ...packages.posted import flags_of, group_of, key_of, time_of, uid_of
from ...system.identity import identity
from ...system.notifications import Notification
from ...world import World
from ..call import CommandCall

_FLAG_NAMES = {0x2: "ONGOING_EVENT", 0x10: "AUTO_CANCEL", 0x200: "GROUP_SUMMARY"}
POSTED, SNOOZED = 1, 2
"""The values of a record's state in the protocol buffer."""


async def notification(call: CommandCall) -> None:
    """Print the notifications, with their texts only after `--noredact` or `--reveal`."""
    words = call.arguments
    world = call.phone.world
    world.settle()
    pattern = _filtered(words)
    posted = [each for each in world.notifications.posted if pattern in each.package.lower()]
    if "--proto" in words:
        await call.process.stdout.write(_proto(world, posted))
        return
    shown = "--noredact" in words or "--reveal" in words
    filtered = f" (filtered to {pattern})" if pattern else ""
    lines = [f"Current Notification Manager state{filtered}:"]
    if world.notifications.posted:
        lines.append("  Notification List:")
        for each in posted:
            lines += record(world, each, shown, "    ")
        lines.append("  ")
    lines.append("  mArchive=Archive (0 notifications)")
    if world.notifications.snoozed:
        lines += ["", "  Snoozed notifications:"]
        lines += [f"    {key_of(world, each.notification)}" for each in world.notifications.snoozed]
    await call.write("\n".join(lines) + "\n")


def _filtered(words: list[str]) -> str:
    """The part of a package name to which the options restrict the dump; "" for all packages."""
    for option, value in pairwise(words):
        if option in ("-p", "--package", "pkg"):
            return value.strip().lower()
    return ""


def describe(world: World, posted: Notification) -> str:
    """Android's Notification.toString()."""
    android = world.android
    named = android.notification_flag_names
    kind = "shortcut=null" if android.notification_shortcut else "pri=0"
    more = ""
    if posted.category is not None:
        more += f" category={posted.category}"
    if posted.group is not None:
        more += f" groupKey={posted.group}"
    if posted.actions:
        more += f" actions={len(posted.actions)}"
    return (
        f"Notification(channel={posted.channel} {kind} contentView=null vibrate=null sound=null "
        f"defaults={'0' if named else '0x0'} flags={_flags(world, posted)} color=0x00000000"
        f"{more} vis=PRIVATE)"
    )


def _flags(world: World, posted: Notification) -> str:
    flags = flags_of(posted)
    if world.android.notification_flag_names:
        return "|".join(name for flag, name in _FLAG_NAMES.items() if flags & flag) or "0"
    return f"0x{flags:x}"


def record(world: World, posted: Notification, shown: bool, prefix: str = "") -> list[str]:
    """The output of NotificationRecord.dump(), as far as this phone has the data."""
    android, key = world.android, key_of(world, posted)
    when = time_of(world, posted)
    more = ""
    if android.notification_channel_first:
        more = f" channel={posted.channel}"
    elif android.notification_importance_locked:
        more = "appImportanceLocked=false"
    indent = f"{prefix}  "
    # Since API 31, a separate method prints the notification with doubled indentation.
    nested = indent * (1 + android.notification_extras_indented)
    lines = [
        f"{prefix}NotificationRecord(0x{identity('notification', key):0>8}: pkg={posted.package} "
        f"user=UserHandle{{{posted.user}}} id={posted.id} tag={posted.tag or 'null'} importance=3 "
        f"key={key}{more}: {describe(world, posted)})",
        f"{indent}uid={uid_of(world, posted)} userId={posted.user}",
    ]
    if android.notification_flags_line:
        lines.append(f"{indent}flags={_flags(world, posted)}")
    lines += [
        f"{indent}pri=0",
        f"{indent}key={key}",
        f"{indent}groupKey={group_of(world, posted)}",
    ]
    if android.notification_extras_indented:
        lines.append(f"{indent}notification=")
    intent = "PendingIntent{1a2b3c4: PendingIntentRecord{5d6e7f8 startActivity}}"
    lines.append(f"{nested}contentIntent={intent if posted.opens else 'null'}")
    if posted.actions:
        lines.append(f"{nested}actions={{")
        lines += [
            f'{nested}    [{number}] "{action.title}" -> '
            f"{intent if action.on_press is not None else 'null'}"
            for number, action in enumerate(posted.actions)
        ]
        lines.append(f"{nested}  }}")
    lines += [
        f"{nested}extras={{",
        *_extras(world, posted, shown, nested),
        f"{nested}}}",
    ]
    if android.notification_extras_indented:
        lines += [f"{indent}publicNotification=", f"{nested}None"]
    lines += [f"{indent}mCreationTimeMs={when}", f"{indent}mUpdateTimeMs={when}"]
    return lines


def _extras(world: World, posted: Notification, shown: bool, nested: str) -> list[str]:
    texts = {
        "android.title": posted.title or None,
        "android.subText": posted.sub_text,
        "android.text": posted.text,
        "android.bigText": posted.big_text,
    }
    lines = [
        f"{nested}    {name}=String{_show(world, text, shown)}"
        for name, text in texts.items()
        if text is not None
    ]
    if posted.lines:
        lines.append(f"{nested}    android.textLines=CharSequence[] ({len(posted.lines)})")
        if shown:
            lines += [f"{nested}      [{at}] {line}" for at, line in enumerate(posted.lines)]
    return lines


def _show(world: World, text: str, shown: bool) -> str:
    if shown:
        return f" ({text})"
    return f" [length={len(text)}]" if world.android.notification_text_lengths else ""


# The protocol buffer: NotificationServiceDumpProto


def _proto(world: World, posted: list[Notification]) -> bytes:
    snoozed = [each.notification for each in world.notifications.snoozed]
    records = [_record_proto(world, each, POSTED) for each in posted]
    records += [_record_proto(world, each, SNOOZED) for each in snoozed]
    if world.android.notification_proto_records:
        return b"".join(_field(1, record) for record in records)
    # A single message contains the fields of all records.
    return _field(1, b"".join(records))


def _record_proto(world: World, posted: Notification, state: int) -> bytes:
    text = key_of(world, posted).encode("utf-8", "replace")
    group = group_of(world, posted).encode("utf-8", "replace")
    flags = flags_of(posted)
    return b"".join(
        (_field(1, text), _number(2, state), _number(3, flags) if flags else b"", _field(9, group))
    )


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
