"""The command `query`."""

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from handheld.helper.protocol import (
    CELL_UNITS,
    QUERY_ROWS,
    QUERY_UNITS,
    Code,
    HelperFailure,
    dump_json,
)

from ...apps.providers.system import MediaProvider, find_provider
from ...packages.provider import Cell, Provider, ProviderProblem, Query, Row
from ...packages.where import bind, compile_where, sort_rows
from ..protocol.command import Answer, bad, check_keys

if TYPE_CHECKING:
    from ..helper import Helper
    from ..protocol.job import Job

MOST_COLUMNS = 20
_URI = re.compile(r"content://([^/?]+)(/[^?]*)?")


def check_query(arguments: dict[str, Any]) -> None:
    check_keys(arguments, "uri", "columns", "where", "arguments", "sort", "limit")
    uri = arguments["uri"]
    if not isinstance(uri, str) or not uri.startswith("content://"):
        raise bad("`uri` is not a string that begins with content://.")
    for name, least in (("columns", 1), ("arguments", 0)):
        if not least <= _count_texts(arguments[name]) <= MOST_COLUMNS:
            raise bad(f"`{name}` is not a list of {least} to {MOST_COLUMNS} strings.")
    for name in ("where", "sort"):
        if not isinstance(arguments[name], str | None):
            raise bad(f"`{name}` is not null or a string.")
    limit = arguments["limit"]
    if type(limit) is not int or not 1 <= limit <= QUERY_ROWS:
        raise bad(f"`limit` is not a whole number from 1 to {QUERY_ROWS}.")


def _count_texts(value: Any) -> int:
    """Return the number of strings in a list; -1 for any other value."""
    if not isinstance(value, list):
        return -1
    texts = cast("list[Any]", value)
    return len(texts) if all(isinstance(each, str) for each in texts) else -1


async def query(helper: "Helper", job: "Job") -> Answer:
    told: list[list[Cell]] = []
    left, more = QUERY_UNITS, False
    for row in await job.wait(read_table(helper, job.arguments)):
        cells = [_cut(cell) for cell in row]
        left -= sum(_units(cell) for cell in cells)
        if len(told) == job.arguments["limit"] or left < 0:
            more = True
            break
        told.append(cells)
    zone, offset_s = read_zone(helper)
    return Answer({"more": more, "zone": zone, "offset_s": offset_s}, dump_json({"rows": told}))


async def read_table(helper: "Helper", arguments: dict[str, Any]) -> list[list[Cell]]:
    """Return the cells of all rows that fit, as the provider returns them. Raises HelperFailure."""
    world = helper.world
    world.settle()
    found = _URI.fullmatch(arguments["uri"])
    authority, path = ("", "") if found is None else (found[1], (found[2] or "").strip("/"))
    provider = find_provider(world, authority)
    if provider is None:
        message = f"No app has a provider {authority}."
        raise HelperFailure(Code.NO_COMPONENT, message, data={"installed": False})
    if isinstance(provider, MediaProvider) and world.media.hangs:
        await world.clock.sleep(float("inf"))
    try:
        return _select(provider, authority, path, arguments)
    except ProviderProblem as problem:
        refused = "SecurityException" in str(problem)
        code = Code.APP_REFUSED if refused else Code.APP_THREW
        raise HelperFailure(code, str(problem)) from problem


def _select(
    provider: Provider, authority: str, path: str, arguments: dict[str, Any]
) -> list[list[Cell]]:
    if provider.permission is not None or not provider.exported:
        raise ProviderProblem(
            f"java.lang.SecurityException: Permission Denial: opening provider {authority} from"
            f" (null) (pid=2000, uid=2000) requires {provider.permission}"
        )
    where, columns = bind(arguments["where"] or "", arguments["arguments"]), arguments["columns"]
    holds = compile_where(where)
    rows = [row for row in provider.query(Query(path, where, columns)) if holds(row)]
    rows = sort_rows(rows, arguments["sort"] or "")
    return [[_cell(row, name) for name in columns] for row in rows]


def read_zone(helper: "Helper") -> tuple[str, int]:
    now = helper.world.wall.now()
    return now.tzname() or "", int((now.utcoffset() or timedelta()).total_seconds())


def _cell(row: Row, name: str) -> Cell:
    if name not in row:
        raise ProviderProblem(f"java.lang.IllegalArgumentException: Invalid column {name}")
    return row[name]


def _units(cell: Cell) -> int:
    return len(cell.encode("utf-16-le", "surrogatepass")) // 2 if isinstance(cell, str) else 0


def _cut(cell: Cell) -> Cell:
    if not isinstance(cell, str) or _units(cell) <= CELL_UNITS:
        return cell
    return cell.encode("utf-16-le", "surrogatepass")[: CELL_UNITS * 2].decode("utf-16-le", "ignore")
