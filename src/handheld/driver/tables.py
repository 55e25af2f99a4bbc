"""Tables of Android's content providers: the protocol and its values."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

Cell = int | str | None
Row = Mapping[str, Cell]
ID = ("_id",)


class RowChoice(NamedTuple):
    """A choice of rows that a query cannot express: this computer makes it."""

    columns: tuple[str, ...]
    """The text columns that decide."""
    pick: Callable[[Sequence[Row]], Sequence[Row]]
    like: tuple[str, str] | None = None
    """A column, and a LIKE pattern that it matches in every picked row. It is a bound argument, or
    not used."""


class Query(NamedTuple):
    """A query of a table. All of its text is ours, except for the pattern in `choice`."""

    uri: str
    numbers: tuple[str, ...]
    """Columns of integers, those of `key` first."""
    texts: tuple[str, ...]
    where: str = ""
    sort: str = ""
    limit: int = 50
    """The maximum number of returned rows."""
    key: tuple[str, ...] = ID
    """The columns that identify a row."""
    choice: RowChoice | None = None


class Zone(NamedTuple):
    """The phone's time zone."""

    name: str
    offset_s: int
    """The current offset from UTC, in seconds."""


class TableRows(NamedTuple):
    rows: Sequence[Row]
    more: bool
    """Whether there are, or may be, more rows."""
    zone: Zone
    untold: int = 0
    """The number of rows with a text that is None because its boundaries are ambiguous."""


class TableDriver(Protocol):
    async def query(self, query: Query) -> TableRows:
        """Raises AppFailed if the provider refuses, fails or does not exist."""
        ...


def whole(value: object) -> int | None:
    """Read a column that should hold an integer: a provider may store it as text."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    text = str(value)
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None
