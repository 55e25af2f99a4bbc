"""The stream that keeps copies of hosts' records: each host publishes under its own subject, and
gateways read all."""

from collections.abc import AsyncGenerator

from ...clock import SYSTEM_CLOCK, Clock
from .jetstream import JetStream, KvError, Stored, read_answer
from .names import AUDIT, audit_subject
from .wire import EngineWire

MOST_DAYS = 30
MOST_BYTES = 512 * 1024 * 1024
MOST_OF_A_HOST = 250_000
"""Messages. Limits a busy host, so it does not displace the copies of the others."""
LARGEST_MESSAGE = 256 * 1024
_REPEATED_WITHIN = 120
"""Seconds in which a repeated message is recognised."""


class AuditStream:
    """Raises WireError and KvError."""

    def __init__(self, wire: EngineWire, clock: Clock = SYSTEM_CLOCK) -> None:
        self._host = wire.id
        self._store = JetStream(wire, clock=clock)

    async def ensure(self, replicas: int) -> None:
        """Create the stream or change it. For administrators."""
        await self._store.ensure(
            {
                "name": AUDIT,
                "subjects": [audit_subject("*")],
                "retention": "limits",
                "storage": "file",
                "num_replicas": replicas,
                "max_age": MOST_DAYS * 86_400 * 10**9,
                "max_bytes": MOST_BYTES,
                "max_msgs_per_subject": MOST_OF_A_HOST,
                # Room for the headers.
                "max_msg_size": LARGEST_MESSAGE + 1024,
                "discard": "old",
                "duplicate_window": _REPEATED_WITHIN * 10**9,
                "allow_direct": True,
                "deny_delete": True,
                # With the headers of a roll-up, a host could remove its copies.
                "allow_rollup_hdrs": False,
            }
        )

    async def append(self, data: bytes, id: str) -> None:
        """Publish for this host. A message with the id of a recently stored one is not stored
        again. No other host may know the id, or it could use it first."""
        headers = {"Nats-Msg-Id": id}
        message = await self._store.request(audit_subject(self._host), data, headers)
        if not isinstance(read_answer(message).get("seq"), int):
            raise KvError("The store did not confirm that it kept it.")

    async def last(self, host: str = "*") -> int:
        """The sequence of the last message of a host, or of all; 0 if there is none."""
        return await self._store.last(AUDIT, audit_subject(host))

    async def read(self, first: int, end: int, host: str = "*") -> AsyncGenerator[Stored]:
        """The messages of a host, or of all, from the sequence `first` up to but not including
        `end`."""
        while first < end:
            batch = await self._store.read(AUDIT, audit_subject(host), first)
            for message in batch:
                if message.sequence >= end:
                    return
                yield message
            if not batch:
                return
            first = batch[-1].sequence + 1
