"""Tables of Android's content providers: the protocol and its values."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

Cell = int | str | None
Row = Mapping[str, Cell]
ID = ("_id",)


class Choice(NamedTuple):
    """Which rows are wanted, where Android cannot be asked so: decided on this computer."""

    columns: tuple[str, ...]
    """The texts that decide."""
    pick: Callable[[Sequence[Row]], Sequence[Row]]
    like: tuple[str, str] | None = None
    """A column, and a pattern of SQL's LIKE that it has in every row that is picked. It is bound as
    an argument, or not used."""


class Query(NamedTuple):
    """What is asked of a table. All of it is ours, apart from the pattern of `choice`."""

    uri: str
    numbers: tuple[str, ...]
    """Columns that hold whole numbers, those of `key` first."""
    texts: tuple[str, ...]
    where: str = ""
    sort: str = ""
    limit: int = 50
    """Rows that are returned at most."""
    key: tuple[str, ...] = ID
    """The columns that tell one row from all others."""
    choice: Choice | None = None


class Zone(NamedTuple):
    """The phone's time zone."""

    name: str
    offset_s: int
    """What it is ahead of UTC now, in seconds."""


class Rows(NamedTuple):
    rows: Sequence[Row]
    more: bool
    """Whether there are, or may be, more than these."""
    zone: Zone
    untold: int = 0
    """Rows with a text that is None because it could not be told from what surrounds it."""


class TableDriver(Protocol):
    async def query(self, query: Query) -> Rows:
        """Raises AppFailed where the provider refuses, fails or is not there."""
        ...


def whole(value: object) -> int | None:
    """Read a column that should hold a whole number: a provider may keep it as text."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    text = str(value)
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None
