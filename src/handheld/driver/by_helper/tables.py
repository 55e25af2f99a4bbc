"""Tables of content providers through the helper."""

import json
from typing import Any

from ...helper.protocol import QUERY_ROWS
from ..tables import Query, Row, TableRows, Zone, whole
from .verbs import HelperVerbs

QUERY_MS = 20_000
"""A calendar expands recurrences, and a provider may have to be started."""


class HelperTables(HelperVerbs):
    async def query(self, query: Query) -> TableRows:
        choice = query.choice
        where, arguments = query.where, list[str]()
        if choice is not None and choice.like is not None:
            column, pattern = choice.like
            where = f"({where}) AND {column} LIKE ?" if where else f"{column} LIKE ?"
            arguments.append(pattern)
        columns = [*query.numbers, *query.texts]
        wanted: dict[str, Any] = {
            "uri": query.uri,
            "columns": columns,
            "where": where or None,
            "arguments": arguments,
            "sort": query.sort or None,
            "limit": query.limit if choice is None else QUERY_ROWS,
        }
        answer = await self._call("query", wanted, QUERY_MS)
        more, zone = answer.reply["more"], Zone(answer.reply["zone"], answer.reply["offset_s"])
        numbers = frozenset(query.numbers)
        rows: list[Row] = [
            {
                name: whole(cell) if name in numbers else None if cell is None else str(cell)
                for name, cell in zip(columns, cells, strict=True)
            }
            for cells in json.loads(answer.data)["rows"]
        ]
        if choice is not None:
            picked = choice.pick(rows)
            more = more or len(picked) > query.limit
            rows = list(picked[: query.limit])
        return TableRows(rows, more, zone)
