"""Tools that apps declare, and calls to them: the protocol and its values."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


@dataclass(frozen=True, slots=True)
class DeclaringApp:
    """An app that declares tools."""

    package: str
    label: str
    version_code: int
    signer: str
    """SHA-256 of the app's signing certificate, in hex; empty if it has none."""
    unread: str = field(default="", compare=False)
    """A sentence that says why neither its label nor its signer is known."""


@dataclass(frozen=True, slots=True)
class DeclaringService:
    """A service that declares tools by the action of Mobile MCP."""

    app: DeclaringApp
    class_name: str
    exported: bool
    permission: str | None
    """The permission that callers need."""
    name: str | None
    description: str | None
    descriptor: "Element | None" = field(compare=False)
    problem: str = ""
    """A sentence that says why there is no descriptor."""


@dataclass(frozen=True, slots=True)
class DeclaringProvider:
    """A content provider that declares tools."""

    app: DeclaringApp
    class_name: str
    exported: bool
    permission: str | None
    authority: str
    problem: str = field(default="", compare=False)
    """A sentence that says why its tools cannot be queried."""


class DeclaredTools(NamedTuple):
    sequence: int
    """The package manager's sequence number before the query. A number below 0 is our own count,
    which replaces it where it is not available."""
    services: Sequence[DeclaringService]
    providers: Sequence[DeclaringProvider]


class ChangedPackages(NamedTuple):
    sequence: int
    packages: frozenset[str] | None
    """None if unknown: any package may have changed."""


class ServiceReply(NamedTuple):
    extras: Mapping[str, str]
    dropped: int
    """The number of replies to other requests that arrived during the wait."""


Bundle = Mapping[str, Any]
"""Strings, booleans, numbers, lists of strings, and mappings of these."""


class FunctionList(NamedTuple):
    """Android's list of app functions."""

    printed: str
    """JSON; "" if this Android cannot list app functions over adb."""
    listable: bool
    """Whether this Android can list app functions over adb."""
    service: bool = True
    """Whether this Android has app functions."""


class FunctionReply(NamedTuple):
    document: Mapping[str, Any]
    """The result in Android's form for documents: every property is an array."""
    hidden: bool = False
    """The function has ended, but its result is unknown: this Android prints only results that are
    objects."""


class AppProblem(StrEnum):
    """Why an app did not answer a call."""

    GONE = "gone"
    """The app or the called component does not exist."""
    REFUSED = "refused"
    """It requires a permission that adb does not have, or allows only its own vendor."""
    DIED = "died"
    """Its process exited before it answered."""
    THREW = "threw"
    """It answered with an exception; the message is the app's."""
    NOT_STARTED = "not_started"
    """Android did not let it start; the message is Android's."""
    UNREACHABLE = "unreachable"
    """It cannot be called without the helper; the message states why the helper does not run."""
    SILENT = "silent"
    """It did not answer in time."""
    MISUSED = "misused"
    """It rejected the arguments and did nothing; the message is the app's."""
    SWITCHED_OFF = "switched_off"
    """The app has disabled the called function; nothing was done."""
    FORBIDDEN = "forbidden"
    """The phone's administrator does not allow it; nothing was done."""
    FAILED = "failed"
    """It failed, or was stopped, and may have done part of it; the message is the app's."""
    BROKEN = "broken"
    """Android failed, and it may have been done; the message is Android's."""


class AppFailed(Exception):
    """A call to an app failed, or its outcome is unknown."""

    def __init__(self, problem: AppProblem, message: str, dropped: int = 0) -> None:
        super().__init__(message)
        self.problem = problem
        self.message = message
        self.dropped = dropped
        """With SILENT: the number of replies that belonged to other requests."""
        self.after_ms: int | None = None
        """With SILENT: when Android stopped waiting, if that was earlier than requested."""


class AppToolDriver(Protocol):
    async def declared_tools(self) -> DeclaredTools:
        """Discover the services and providers with which apps declare tools."""
        ...

    async def changed_packages(self, after: int) -> ChangedPackages:
        """Return the packages installed, updated or removed since that sequence number."""
        ...

    async def call_provider(
        self,
        authority: str,
        method: str,
        extras: Bundle | None,
        within_ms: int,
        *,
        act: bool = True,
    ) -> Bundle | None:
        """Call a method of a content provider. With `act=False`, a lost call may be repeated.
        Raises AppFailed."""
        ...

    async def call_service(
        self, package: str, class_name: str, id: str, extras: Mapping[str, str], within_ms: int
    ) -> ServiceReply:
        """Start a service with these extras and a callback, and wait for the reply to the request
        with this id. Raises AppFailed."""
        ...

    async def app_functions(self) -> FunctionList:
        """List the functions that apps declare to Android, for the current user."""
        ...

    async def declaring_apps(self, packages: Collection[str]) -> Mapping[str, DeclaringApp]:
        """Describe these apps; those that are not installed are missing."""
        ...

    async def call_function(
        self, package: str, function: str, arguments: str, within_ms: int
    ) -> FunctionReply:
        """Call a function that an app declares to Android, with a JSON object of arguments. Raises
        AppFailed."""
        ...

    async def shell_permissions(self) -> frozenset[str] | None:
        """Return the permissions of adb's shell; None if unknown."""
        ...

    async def find_exit_reason(self, package: str, within_ms: int) -> str:
        """Return why an app's process exited within that time, as a predicate; "" if the phone
        does not report it."""
        ...
