"""The tool's side: it fulfils section 3.2, and an app writes only its capabilities.

service = CapabilityService(parse_descriptor(xml))

@service.capability("query_clock_in")
def query(arguments):
    return Outcome({"date": arguments["date"], "has_clocked_in": True}, "Has clocked in.")

reply = service.answer(extras_of_the_intent)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .descriptor import VERSION, Capability, CapabilityParameter, Descriptor
from .message import BadMessage, CapabilityRequest, Response, read_request

_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a capability."""

    output: Mapping[str, Any] | None = None
    message: str | None = None


class CapabilityFailed(Exception):
    """Raised by a capability; the message is for the caller."""


Handler = Callable[[Mapping[str, Any]], Outcome]


class CapabilityService:
    """Answers each request exactly once, even an invalid one."""

    def __init__(self, descriptor: Descriptor) -> None:
        self.descriptor = descriptor
        self._handlers: dict[str, Handler] = {}

    def capability(self, id: str) -> Callable[[Handler], Handler]:
        """Register the decorated function for this capability. Raises KeyError if the descriptor
        does not declare it."""
        if self.descriptor.find(id) is None:
            raise KeyError(id)

        def add(handler: Handler) -> Handler:
            self._handlers[id] = handler
            return handler

        return add

    def answer(self, extras: Mapping[str, Any]) -> dict[str, str]:
        """Return the extras of the reply to an intent with these extras."""
        try:
            request = read_request(extras)
        except BadMessage as problem:
            return Response(problem.id, False, f"The request {problem}.").extras()
        declared = self.descriptor.find(request.capability)
        try:
            return self._respond(request, declared).extras(declared)
        except CapabilityFailed as problem:
            message = str(problem)
        except Exception as problem:
            # Every request gets an answer: otherwise the caller would wait in vain.
            message = f"{type(problem).__name__}: {problem}"
        return Response(request.id, False, message, request.capability).extras()

    def _respond(self, request: CapabilityRequest, declared: Capability | None) -> Response:
        handler = self._handlers.get(request.capability)
        if request.version not in (None, VERSION):
            message = f"Version {request.version!r} is not known here; {VERSION!r} is."
        elif declared is None or handler is None:
            message = f"Unknown capability ID: {request.capability}"
        else:
            message = refusal(declared.input, request.arguments)
        if message or handler is None:
            return Response(request.id, False, message, request.capability)
        given = {name: value for name, value in request.arguments.items() if value is not None}
        outcome = handler(given)
        return Response(request.id, True, outcome.message, request.capability, outcome.output)


def refusal(declared: tuple[CapabilityParameter, ...], arguments: Mapping[str, Any]) -> str:
    """Return a sentence about the first invalid argument; "" if all are valid."""
    known = {parameter.name for parameter in declared}
    for name in arguments:
        if name not in known:
            return f"Unknown parameter '{name}'."
    for parameter in declared:
        value = arguments.get(parameter.name)
        if value is None:
            if parameter.required:
                return f"Missing required parameter: '{parameter.name}'"
        elif not _fits(value, parameter.json_type):
            return f"Parameter '{parameter.name}' must be of type {parameter.type}."
    return ""


def _fits(value: Any, json_type: str) -> bool:
    if isinstance(value, bool) and json_type != "boolean":
        return False  # in Python a boolean is a number too
    if json_type == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _PYTHON_TYPES[json_type])
