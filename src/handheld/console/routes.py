"""Requests from the console's pages, and how a page declares its routes."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..server.exchange import HttpRefusal
from .sessions import LoginSession


@dataclass(frozen=True, slots=True)
class Request:
    """A request from a person who is logged in."""

    session: LoginSession
    params: Mapping[str, str] = field(default_factory=dict[str, str])
    """The parts of the path that are in braces in the route."""
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The JSON object in the body; empty for GET."""

    def text(self, name: str, default: str | None = None) -> str:
        """Return a string from the body. Raises HttpRefusal."""
        return self._of(name, str, "a text", default)

    def flag(self, name: str, default: bool | None = None) -> bool:
        return self._of(name, bool, "true or false", default)

    def texts(self, name: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        given = self._of(name, list, "a list of texts", None if default is None else list(default))
        if not all(isinstance(item, str) for item in given):
            raise bad_request(f"{name} must be a list of texts.")
        return tuple(given)

    def number(self, name: str, default: float | None = None) -> float:
        value = self._of(name, (int, float), "a number", default)
        if isinstance(value, bool) or not -1e15 < value < 1e15:
            raise bad_request(f"{name} must be a number.")
        return value

    def query_number(self, name: str, default: int, least: int, most: int) -> int:
        """Return a whole number from the query, within bounds. Raises HttpRefusal."""
        given = self.query.get(name)
        if given is None:
            return default
        number = whole_number(given)
        if number is None or not least <= number <= most:
            raise bad_request(f"{name} must be a whole number from {least} to {most}.")
        return number

    def _of(self, name: str, kind: Any, wanted: str, default: Any) -> Any:
        value = self.body.get(name, default)
        if value is None or not isinstance(value, kind):
            raise bad_request(f"{name} must be {wanted}.")
        return value


@dataclass(frozen=True, slots=True)
class PageResponse:
    """A response that is not JSON."""

    body: bytes
    kind: str
    """The Content-Type."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Stream:
    """Server-sent events. Ends with the generator or when the client disconnects; the generator is
    then closed."""

    events: AsyncGenerator[bytes]


_MOST_DIGITS = 16

Handler = Callable[[Request], Awaitable[Any]]
"""Returns a JSON value, a Response or a Stream. Raises HttpRefusal, or ToolError, whose message is
shown."""


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    """GET, or POST for changes."""
    path: str
    """Below /console/api, such as `tokens/{name}/revoke`."""
    handler: Handler

    def match(self, parts: Sequence[str]) -> dict[str, str] | None:
        """Return the values of the parts in braces; None if the path does not match."""
        own = self.path.split("/")
        if len(own) != len(parts):
            return None
        params: dict[str, str] = {}
        for wanted, given in zip(own, parts, strict=True):
            if wanted.startswith("{"):
                if not given:
                    return None
                params[wanted.strip("{}")] = given
            elif wanted != given:
                return None
        return params


def whole_number(text: str) -> int | None:
    """Parse a whole number; None if it is not one or has too many digits."""
    plain = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if plain else None


def bad_request(sentence: str) -> HttpRefusal:
    return HttpRefusal(400, "bad_request", sentence)


def not_found(sentence: str) -> HttpRefusal:
    return HttpRefusal(404, "not_found", sentence)
