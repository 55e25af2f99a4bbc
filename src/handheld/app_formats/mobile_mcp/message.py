"""Requests and replies, in the specification's envelope and in the flat form that the first apps
use. Written messages contain both forms; read messages may have either."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from .descriptor import VERSION, Capability

REQUEST = "mobile-mcp-request"
RESPONSE = "mobile-mcp-response"
FLAT_REQUEST = "request"
FLAT_RESPONSE = "response"
CALLBACK = "mcp_callback"
"""Names of an intent's extras."""
LONGEST = 1024 * 1024
"""An intent cannot carry more."""


class BadMessage(ValueError):
    """A request or a reply is invalid. The message is a predicate: `is not JSON`."""

    def __init__(self, message: str, id: str = "") -> None:
        super().__init__(message)
        self.id = id
        """The request's id, if that could be read: a refusal carries it too."""


@dataclass(frozen=True, slots=True)
class CapabilityRequest:
    id: str
    capability: str
    arguments: Mapping[str, Any]
    version: str | None = VERSION
    """None in the flat form, which has no version."""

    def extras(self) -> dict[str, str]:
        """Return the intent's extras: the arguments under both names that the specification has
        had, and in the flat form as a JSON string."""
        values = dict(self.arguments)
        capability = {"id": self.capability, "args": values, "input": values}
        request = {"id": self.id, "capability": capability}
        whole = {REQUEST: {"version": self.version or VERSION, "request": request}}
        flat = {"id": self.id, "capability": {"id": self.capability, "input": _text(values)}}
        return {REQUEST: _text(whole), FLAT_REQUEST: _text(flat)}


@dataclass(frozen=True, slots=True)
class Response:
    id: str
    success: bool
    message: str | None = None
    capability: str | None = None
    output: Any = None
    """An object, or an array of objects with `name` and `value`, in the app's form; None if there
    is none."""

    @property
    def values(self) -> dict[str, Any]:
        """Return the output by name."""
        if isinstance(self.output, list):
            items = cast("list[dict[str, Any]]", self.output)
            return {item["name"]: item.get("value") for item in items}
        return dict(self.output or {})

    def extras(self, declared: Capability | None = None) -> dict[str, str]:
        """Return the reply's extras. `declared` has the types of the output."""
        types = {one.name: one.type for one in declared.output} if declared else {}
        response: dict[str, Any] = {"id": self.id}
        flat: dict[str, Any] = {"status": "success" if self.success else "failure"}
        if self.message is not None:
            flat["message"] = self.message
        flat["id"] = self.id
        if self.capability is not None:
            named: dict[str, Any] = {"id": self.capability}
            flat["capability"] = {**named}
            if self.output is not None:
                named["output"] = [
                    {"name": name, "type": types.get(name, _type_of(value)), "value": value}
                    for name, value in self.values.items()
                ]
                flat["capability"]["output"] = self.values
            response["capability"] = named
        response["status"] = flat["status"]
        if self.message is not None:
            response["message"] = self.message
        whole = {RESPONSE: {"version": VERSION, "response": response}}
        return {RESPONSE: _text(whole), FLAT_RESPONSE: _text(flat)}


def read_request(extras: Mapping[str, Any]) -> CapabilityRequest:
    """Read a request without checking its version: refusing it needs the request's id. Raises
    BadMessage."""
    if REQUEST in extras:
        envelope = _member(_object(extras[REQUEST]), REQUEST, "")
        version = envelope.get("version")
        request = _member(envelope, "request", f"{REQUEST}.")
        return _request(request, version if isinstance(version, str) else "")
    if FLAT_REQUEST in extras:
        return _request(_object(extras[FLAT_REQUEST]), None)
    raise BadMessage(f"has no {REQUEST}")


def _request(request: dict[str, Any], version: str | None) -> CapabilityRequest:
    id = request.get("id")
    if not isinstance(id, str) or not id:
        raise BadMessage("has no request id")
    try:
        name, arguments = _capability(request)
    except BadMessage as problem:
        raise BadMessage(str(problem), id) from None
    return CapabilityRequest(id, name, arguments, version)


def _capability(request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the capability's id and the arguments."""
    capability = _member(request, "capability", "")
    name = capability.get("id")
    if not isinstance(name, str) or not name:
        raise BadMessage("has no capability id")
    given = capability.get("input", capability.get("args", {}))
    if isinstance(given, str):
        given = _object(given) if given.strip() else {}
    if not isinstance(given, dict):
        raise BadMessage("has arguments that are not a JSON object")
    return name, cast("dict[str, Any]", given)


def read_response(extras: Mapping[str, Any]) -> Response:
    """Raises BadMessage."""
    extra = next((name for name in (RESPONSE, FLAT_RESPONSE) if name in extras), None)
    if extra is None:
        raise BadMessage(f"has no {RESPONSE}")
    whole = _object(extras[extra])
    if RESPONSE in whole:
        envelope = _member(whole, RESPONSE, "")
        version = envelope.get("version")
        if version not in (None, VERSION):
            raise BadMessage(f"has the version {version!r:.50}, of which only {VERSION!r} is known")
        whole = _member(envelope, "response", f"{RESPONSE}.")
    return _response(whole)


def _response(response: dict[str, Any]) -> Response:
    id, status, message = (response.get(name) for name in ("id", "status", "message"))
    if not isinstance(id, str):
        raise BadMessage("has no id")
    if status not in ("success", "failure"):
        raise BadMessage("has a status that is neither success nor failure")
    capability: Any = response.get("capability")
    name = output = None
    if isinstance(capability, dict):
        fields = cast("dict[str, Any]", capability)
        name = fields["id"] if isinstance(fields.get("id"), str) else None
        output = _checked(fields.get("output"))
    return Response(id, status == "success", _words(message), name, output)


def _checked(output: Any) -> Any:
    if output is None or isinstance(output, dict):
        return cast("Any", output)
    if not isinstance(output, list):
        raise BadMessage("has an output that is neither an array nor an object")
    for item in cast("list[Any]", output):
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):  # pyright: ignore[reportUnknownMemberType]
            raise BadMessage("has an output item without a name")
    return cast("Any", output)


def _words(message: Any) -> str | None:
    return None if message is None else message if isinstance(message, str) else _text(message)


def _object(text: Any) -> dict[str, Any]:
    if not isinstance(text, str):
        raise BadMessage("is not a string")
    if len(text) > LONGEST:
        raise BadMessage(f"is longer than {LONGEST} characters")
    try:
        # Python accepts NaN and reads 1e999 as infinity, which cannot be sent on.
        value = json.loads(text, parse_constant=_number, parse_float=_number)
    except (ValueError, RecursionError):
        raise BadMessage("is not JSON") from None
    if not isinstance(value, dict):
        raise BadMessage("is not a JSON object")
    return cast("dict[str, Any]", value)


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _member(value: dict[str, Any], name: str, path: str) -> dict[str, Any]:
    member = value.get(name)
    if not isinstance(member, dict):
        raise BadMessage(f"has no object {path}{name}")
    return cast("dict[str, Any]", member)


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, list):
        return "array"
    return "object" if isinstance(value, dict) else "string"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
