"""A node's greeting before login, and its certificate."""

import asyncio
import json
import ssl
from dataclasses import dataclass
from typing import Any

from ...clock import SYSTEM_CLOCK, Clock
from .plan import EngineError

_WITHIN = 5.0
_LARGEST = 64 * 1024


@dataclass(frozen=True)
class NodeCheck:
    version: tuple[int, ...]
    jetstream: bool
    expires: float
    """When its certificate expires, in seconds since 1970."""


async def check_node(address: str, authority: str, clock: Clock = SYSTEM_CLOCK) -> NodeCheck:
    """Raises EngineError."""
    host, _, port = address.rpartition(":")
    tls = ssl.create_default_context(cadata=authority)
    try:
        async with clock.timeout(_WITHIN):
            reader, writer = await asyncio.open_connection(
                host.strip("[]"), int(port), ssl=tls, limit=_LARGEST
            )
            try:
                line = await reader.readuntil(b"\r\n")
            finally:
                writer.transport.abort()
    except TimeoutError:
        raise EngineError(f"It does not answer within {_WITHIN:g} seconds.") from None
    except ssl.SSLCertVerificationError as problem:
        raise EngineError(
            f"Its certificate is not of this engine: {problem.verify_message}."
        ) from problem
    except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as problem:
        raise EngineError(f"{str(problem) or type(problem).__name__}.") from problem
    try:
        told: Any = json.loads(line.removeprefix(b"INFO "))
        version = tuple(int(part) for part in str(told["version"]).split("-")[0].split("."))
        certificate = writer.get_extra_info("ssl_object").getpeercert()
        expires = ssl.cert_time_to_seconds(certificate["notAfter"])
        return NodeCheck(version, told.get("jetstream") is True, expires)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise EngineError("The program that answers there is not a NATS server.") from problem
