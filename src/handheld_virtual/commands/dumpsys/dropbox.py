"""`dumpsys dropbox`: the entries of the drop box, by date, time or tag."""

from ...system.dropbox import MOST_ENTRIES, DropEntry
from ..call import CommandCall

RULE = "=" * 40
PREVIEW = 70
_LOW_PRIORITY = (
    "data_app_wtf, keymaster, system_server_wtf, system_app_strictmode, system_app_wtf,"
    " system_server_strictmode, data_app_strictmode, netstats"
)
_OPTIONS = """\
Dropbox (dropbox) dump options:
  [-h|--help] [-p|--print] [-f|--file] [timestamp]
    -h|--help: print this help
    -p|--print: print full contents of each entry
    -f|--file: print path of each entry's file
"""
_PROTO = "    --proto: dump data to proto\n"
_TIMESTAMP = "  [timestamp] optionally filters to only those entries.\n"
_USAGE = "Usage: dumpsys dropbox [--print|--file] [YYYY-mm-dd] [HH:MM:SS] [tag]\n"


async def dropbox(call: CommandCall) -> None:
    words = call.arguments
    world = call.phone.world
    sought: list[str] = []
    whole = files = False
    unknown = ""
    for word in words:
        if word in ("-p", "--print"):
            whole = True
        elif word in ("-f", "--file"):
            files = True
        elif word in ("-h", "--help"):
            proto = _PROTO if world.android.dropbox_low_priority else ""
            await call.write(_OPTIONS + proto + _TIMESTAMP)
            return
        elif word.startswith("-"):
            unknown += f"Unknown argument: {word}\n"
        else:
            sought.append(word)
    entries = world.dropbox.entries()
    out = [unknown, f"Drop box contents: {len(entries)} entries\n"]
    if world.android.dropbox_max_entries:
        out.append(f"Max entries: {MOST_ENTRIES}\n")
    if world.android.dropbox_low_priority:
        out.append("Low priority rate limit period: 2000 ms\n")
        out.append(f"Low priority tags: {{{_LOW_PRIORITY}}}\n")
    if sought:
        out.append("Searching for:" + "".join(f" {word}" for word in sought) + "\n")
    out.append("\n")
    found = False
    for entry in entries:
        date = entry.time.astimezone(world.wall.zone).strftime("%Y-%m-%d %H:%M:%S")
        if all(word in date or word == entry.tag for word in sought):
            found = True
            previews = world.android.dropbox_previews
            out.append(_print(entry, date, whole, files, previews))
    if not found:
        out.append("(No entries found.)\n")
    if not words:
        out.append(f"\n{_USAGE}")
    await call.write("".join(out))


def _print(entry: DropEntry, date: str, whole: bool, files: bool, previews: bool) -> str:
    kind = f"{'compressed ' if entry.compressed else ''}text"
    head = f"{date} {entry.tag} ({kind}, {entry.size} bytes)\n"
    path = f"{'' if whole else '    '}{entry.path}\n" if files else ""
    if whole:
        text = entry.text if entry.text.endswith("\n") else f"{entry.text}\n"
        return f"{RULE}\n{head}{path}{text}\n"
    if files or not previews:
        return head + path
    text = entry.text[:PREVIEW]
    more = " ..." if len(text) == PREVIEW else ""
    return f"{head}    {text.strip().replace(chr(10), '/')}{more}\n"
