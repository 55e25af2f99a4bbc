"""Content providers: tables and methods that programs on the phone can query.

An app declares one in `App.providers`, by its authority.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from handheld.app_formats.apk.manifest import Filter

if TYPE_CHECKING:
    from ..world import World

MANAGE_DOCUMENTS = "android.permission.MANAGE_DOCUMENTS"
"""A permission that the shell user does not have in any release of Android."""

Cell = str | int | float | None
Row = Mapping[str, Cell]
Bundle = Mapping[str, object]


class ProviderProblem(Exception):
    """The provider's exception; the message is its class and text."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query of a table."""

    path: str
    """The path after the authority, without the first slash."""
    where: str = ""
    columns: Sequence[str] = ()
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    """The part of the URI after `?`."""


class Provider:
    """A content provider. The base class supports nothing; subclasses override the operations they
    support."""

    exported = True
    permission: str | None = None
    """The permission that a caller needs."""
    filters: tuple[Filter, ...] = ()

    def __init__(self, world: "World") -> None:
        self.world = world

    def query(self, query: Query) -> list[Row]:
        raise ProviderProblem(f"java.lang.IllegalArgumentException: Unknown URL {query.path}")

    def insert(self, query: Query, values: Row) -> None:
        raise ProviderProblem("java.lang.UnsupportedOperationException: insert")

    def update(self, query: Query, values: Row) -> int:
        raise ProviderProblem("java.lang.UnsupportedOperationException: update")

    def delete(self, query: Query) -> int:
        raise ProviderProblem("java.lang.UnsupportedOperationException: delete")

    def read(self, path: str) -> bytes:
        raise ProviderProblem(
            f"java.io.FileNotFoundException: No files supported by provider at {path}"
        )

    def call(self, method: str, argument: str | None, extras: Bundle) -> Bundle | None:
        """Call a method of the provider; None is Android's null."""
        return None


class DocumentsProvider(Provider):
    """Files of an app, a cloud or the phone for Android's file picker. Android requires this
    permission, so it refuses the shell user before it calls the provider."""

    permission = MANAGE_DOCUMENTS
    filters = (Filter(actions=("android.content.action.DOCUMENTS_PROVIDER",)),)

    @classmethod
    def refusal(cls, authority: str) -> str:
        """Android's error for a program that opens the provider."""
        return (
            f"java.lang.SecurityException: Permission Denial: opening provider {authority} from"
            " (null) (uid=2000) requires that you obtain access using ACTION_OPEN_DOCUMENT or"
            " related APIs"
        )
