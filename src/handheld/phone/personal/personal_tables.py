"""Tables of Android's content providers with the owner's data, and sentences about them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from ...driver.app_tools import AppFailed, AppProblem
from ...driver.tables import Query, Row, TableRows
from ...errors import ActionFailed, PermissionDenied
from ...screen.characters import plain
from ...screen.text import cut
from .phone_time import PhoneTime

if TYPE_CHECKING:
    from ..phone import Phone

Item = TypeVar("Item")

UNTOLD = (
    "The text of {count} of these is ambiguous in Android's output, and is null. The phone's screen"
    " shows it."
)


class TableSubject(NamedTuple):
    """Terms for a table's content in sentences."""

    name: str
    since: int = 0
    """The API level since which the shell may read it."""
    version: str = ""
    plural: str = ""


class ListedRows(NamedTuple, Generic[Item]):
    items: Sequence[Item]
    more: bool
    """Whether there are more rows."""
    notes: tuple[str, ...] = ()


async def query_table(
    phone: "Phone", subject: TableSubject, query: Query
) -> tuple[TableRows, PhoneTime]:
    try:
        rows = await phone.driver.query(query)
    except AppFailed as failure:
        raise await _explain(phone, subject, failure) from failure
    return rows, PhoneTime(rows.zone)


async def _explain(phone: "Phone", subject: TableSubject, failure: AppFailed) -> Exception:
    said = cut(plain(failure.message), 200).removesuffix(".")
    if failure.problem is AppProblem.GONE:
        return ActionFailed(f"This phone has no {subject.name}.")
    if failure.problem is not AppProblem.REFUSED:
        return ActionFailed(f"The phone's {subject.name} could not be read: {said}.")
    if subject.since:
        facts = await phone.driver.read_device(("api", "android"))
        api, version = facts["api"].strip(), plain(facts["android"].strip())
        if api.isdecimal() and int(api) < subject.since:
            return PermissionDenied(
                f"{subject.plural} can be read from Android {subject.version} on; this phone has"
                f" {version}."
            )
    return PermissionDenied(f"This phone does not let adb read its {subject.name}: {said}.")


def text_cell(row: Row, name: str) -> str | None:
    """Return a text; None for an empty one."""
    value = row.get(name)
    return str(value) if value not in (None, "") else None


def number_cell(row: Row, name: str) -> int | None:
    value = row.get(name)
    return value if isinstance(value, int) else None


def describe_rows(rows: TableRows, *further: str) -> tuple[str, ...]:
    untold = (UNTOLD.format(count=rows.untold),) if rows.untold else ()
    return (*untold, *(note for note in further if note))
