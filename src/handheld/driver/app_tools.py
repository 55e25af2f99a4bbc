"""The values in which a driver reports the tools that apps declare, and calls to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from xml.etree.ElementTree import Element


@dataclass(frozen=True, slots=True)
class OfferingApp:
    """The app behind an offer."""

    package: str
    label: str
    version_code: int
    signer: str
    """SHA-256 of the certificate that the app is signed with, in hex; empty where it has none."""
    unread: str = field(default="", compare=False)
    """Why neither its label nor its signer is known, as a sentence."""


@dataclass(frozen=True, slots=True)
class OfferingService:
    """A service with the action of Mobile MCP."""

    app: OfferingApp
    class_name: str
    exported: bool
    permission: str | None
    """What a caller must hold."""
    name: str | None
    description: str | None
    descriptor: Element | None = field(compare=False)
    problem: str = ""
    """Why there is no descriptor, as a sentence."""


@dataclass(frozen=True, slots=True)
class OfferingProvider:
    """A content provider that declares tools."""

    app: OfferingApp
    class_name: str
    exported: bool
    permission: str | None
    authority: str
    problem: str = field(default="", compare=False)
    """Why it cannot be asked what it offers, as a sentence."""


@dataclass(frozen=True, slots=True)
class DeclaredTools:
    sequence: int
    """The package manager's count of changes, from before it was asked; below 0 one of our own,
    where that one cannot be had."""
    services: Sequence[OfferingService]
    providers: Sequence[OfferingProvider]


@dataclass(frozen=True, slots=True)
class ChangedPackages:
    sequence: int
    packages: frozenset[str] | None
    """None: which ones cannot be said, so that all may have changed."""


@dataclass(frozen=True, slots=True)
class ServiceReply:
    extras: Mapping[str, str]
    dropped: int
    """Replies that came in the meantime and belonged to other requests."""


Bundle = Mapping[str, Any]
"""Strings, truth values, numbers, lists of strings, and mappings of such."""


class AppProblem(StrEnum):
    """Why an app did not answer a call."""

    GONE = "gone"
    """Neither the app nor what was called in it is there."""
    REFUSED = "refused"
    """It asks for a permission that adb does not have, or is open to its own vendor alone."""
    DIED = "died"
    """Its process ended before it had answered."""
    THREW = "threw"
    """It answered with an exception; the message is the app's."""
    NOT_STARTED = "not_started"
    """Android did not let it start; the message is Android's."""
    UNREACHABLE = "unreachable"
    """Nobody could be sent to it, since that takes the helper; the message says what of it."""
    SILENT = "silent"
    """It did not answer in time."""


class AppFailed(Exception):
    """A call to an app came to nothing, or nobody knows to what."""

    def __init__(self, problem: AppProblem, message: str, dropped: int = 0) -> None:
        super().__init__(message)
        self.problem = problem
        self.message = message
        self.dropped = dropped
        """Of a silent one: how many replies came that belonged to other requests."""
