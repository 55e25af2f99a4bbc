"""Tables of content providers by Android's `content query`, which has no bound arguments, limit or
escaping: see `content_rows`.

The numeric ids of the rows are read first and separately, then each text column in the same command
line. Command lines contain no text from callers.
"""

import re
import shlex
from collections.abc import Collection, Mapping, Sequence

from ...adb.link import AdbError
from ..app_tools import AppFailed, AppProblem
from ..by_adb.batch import BatchPart, run_sections
from ..by_adb.commands import USER_LINE, Commands, first_line
from ..reading.content_rows import ContentFailed, Key, key_of, read_numbers, read_single, read_texts
from ..tables import ID, Query, Row, TableRows, Zone

MOST_LINES = 100_000
"""The maximum of lines per column: `head` of Android 8 cannot count bytes."""
SECONDS = 60.0
MOST_PICKED = 500
"""The maximum of rows picked on this computer, whose other columns are read."""
MOST_ALONE = 20
"""The maximum of rows that are read one by one because their text looks like another row."""
LONGEST_TEXT = 5000
"""The maximum length of a text, like the helper's."""

_ZONE, _NUMBERS = "zone", "numbers"
_OFFSET = re.compile(r"([+-])([01][0-9]|2[0-3])([0-5][0-9])")


async def query_rows(commands: Commands, query: Query) -> TableRows:
    """Raises AppFailed and AdbError."""
    choice = query.choice
    limited = choice is None and query.key == ID
    first = query.texts if choice is None else choice.columns
    lines = {
        _ZONE: "getprop persist.sys.timezone; date +%z",
        _NUMBERS: _number_line(query, limited),
    }
    ids = "i=$(echo \"$k\" | sed -n 's/^Row: [0-9]* _id=\\([0-9][0-9]*\\).*/\\1/p' | tr '\\n' ,)"
    for place, column in enumerate(first):
        before = f"{ids}; " if limited and place == 0 else ""
        lines[column] = before + _text_line(query, column, "${i}-1" if limited else "")
    printed = await run_sections(commands, lines, seconds=SECONDS)
    zone = _read_zone(printed[_ZONE].text)
    numbers, more = _read_numbers(query, printed[_NUMBERS], limited)
    keys = {key: row for row in numbers if (key := key_of(row, query.key)) is not None}
    texts = {name: _read_column(query, name, printed[name], keys) for name in first}
    if choice is None:
        wanted = list(keys)[: query.limit]
    else:
        # A row whose deciding texts are unknown may be a wanted one.
        doubted = await _read_alone(commands, query, choice.columns, texts, list(keys))
        more = more or doubted > 0
        told = [_join(query, row, key, texts) for key, row in keys.items()]
        picked = choice.pick(told)
        most = min(query.limit, MOST_PICKED)
        more = more or len(picked) > most
        wanted = [_key(query, row) for row in picked[:most]]
        rest = [name for name in query.texts if name not in choice.columns]
        texts |= await _read_rest(commands, query, rest, wanted)
    untold = await _read_alone(commands, query, query.texts, texts, wanted)
    rows = [_join(query, keys[key], key, texts) for key in wanted]
    return TableRows(rows, more or (len(keys) > query.limit and choice is None), zone, untold)


def _number_line(query: Query, limited: bool) -> str:
    command = f"u=$({USER_LINE}); k=$({_command(query, query.numbers, query.where)} 2>&1"
    # An error has several lines. One row more than wanted shows that there are more.
    command += f" | head -n {max(query.limit + 1, 10)}" if limited else f" | head -n {MOST_LINES}"
    return f'{command}); echo "$k"'


def _text_line(query: Query, column: str, ids: str) -> str:
    where = query.where
    if ids:
        where = f"({where}) AND _id IN ({ids})" if where else f"_id IN ({ids})"
    command = _command(query, (*query.key, column), where)
    return f"{command} 2>&1 | head -n {MOST_LINES}"


def _command(query: Query, columns: Sequence[str], where: str) -> str:
    words = f"content query --user $u --uri {shlex.quote(query.uri)}"
    words += f" --projection {':'.join(columns)}"
    if where:
        # Our own text only; double quotes allow `$i` for the ids.
        words += f' --where "{where}"'
    return words + (f" --sort {shlex.quote(query.sort)}" if query.sort else "")


def _read_zone(printed: str) -> Zone:
    lines = [line.strip() for line in printed.split("\n") if line.strip()]
    name, offset = lines[0] if len(lines) > 1 else "", lines[-1] if lines else ""
    found = _OFFSET.fullmatch(offset)
    if found is None:
        raise AdbError(
            f"The phone does not report its time zone; it printed: {first_line(printed)}."
        )
    seconds = int(found[2]) * 3600 + int(found[3]) * 60
    return Zone(name, -seconds if found[1] == "-" else seconds)


def _read_numbers(
    query: Query, section: BatchPart, limited: bool
) -> tuple[list[dict[str, int | None]], bool]:
    if section.code is None:
        raise AdbError("The phone did not finish its answer.")
    try:
        rows = read_numbers(section.text, query.numbers)
    except ContentFailed as failure:
        raise _failed(str(failure)) from None
    cut_off = not limited and _is_cut_off(section)
    return rows, cut_off


def _failed(said: str) -> AppFailed:
    if "SecurityException" in said or "Permission Denial" in said:
        return AppFailed(AppProblem.REFUSED, said)
    if "Could not find provider" in said:
        return AppFailed(AppProblem.GONE, said)
    return AppFailed(AppProblem.THREW, said)


def _read_column(
    query: Query, column: str, section: BatchPart, keys: Collection[Key]
) -> dict[Key, str | None]:
    cut_off = section.code is None or _is_cut_off(section)
    return read_texts(section.text, query.key, column, keys, cut_off=cut_off)


def _is_cut_off(section: BatchPart) -> bool:
    return section.data.count(b"\n") >= MOST_LINES


def _key(query: Query, row: Row) -> Key:
    return tuple(int(row[name] or 0) for name in query.key)


def _join(
    query: Query,
    row: Mapping[str, int | None],
    key: Key,
    texts: Mapping[str, Mapping[Key, str | None]],
) -> Row:
    told: dict[str, int | str | None] = dict(row)
    for column in query.texts:
        text = texts.get(column, {}).get(key)
        told[column] = None if text is None else text[:LONGEST_TEXT]
    return told


async def _read_rest(
    commands: Commands, query: Query, columns: Sequence[str], keys: Sequence[Key]
) -> dict[str, dict[Key, str | None]]:
    """Read the other columns of the picked rows by their ids."""
    if not columns or not keys:
        return {name: {} for name in columns}
    ids = ",".join(str(key[0]) for key in keys)
    lines = {name: _text_line(query, name, ids) for name in columns}
    first = next(iter(lines))
    lines[first] = f"u=$({USER_LINE}); {lines[first]}"
    printed = await run_sections(commands, lines, seconds=SECONDS)
    return {name: _read_column(query, name, printed[name], keys) for name in columns}


async def _read_alone(
    commands: Commands,
    query: Query,
    columns: Sequence[str],
    texts: dict[str, dict[Key, str | None]],
    wanted: Sequence[Key],
) -> int:
    """Read ambiguous texts again with one query per row. Return the number of rows that still lack
    one."""
    doubted = [(key, name) for key in wanted for name in columns if key not in texts[name]]
    if not doubted:
        return 0
    lines: dict[str, str] = {}
    for number, (key, name) in enumerate(doubted[:MOST_ALONE]):
        where = " AND ".join(f"{each}={value}" for each, value in zip(query.key, key, strict=True))
        command = _command(query, (name,), where)
        lines[str(number)] = f"{command} 2>&1"
    lines["0"] = f"u=$({USER_LINE}); {lines['0']}"
    printed = await run_sections(commands, lines, seconds=SECONDS)
    for number, (key, name) in enumerate(doubted[:MOST_ALONE]):
        section = printed[str(number)]
        if section.code is None:
            continue
        try:
            texts[name][key] = read_single(section.text, name)
        except (ContentFailed, LookupError):
            continue
    return len({key for key in wanted for name in columns if key not in texts[name]})
