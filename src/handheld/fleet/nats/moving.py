"""Versions before kept the tables in the account of the members: they move into their own."""

import base64
import re
from typing import Any

from ...clock import SYSTEM_CLOCK, Clock
from .jetstream import JetStream, KvError, NoMessage, read_answer
from .names import AUDIT, SLOTS, STREAMS, TOKENS, is_member_id, stream
from .wire import Wire

_OF_ADMINISTRATORS = stream(TOKENS.name)
_ID = re.compile(rb"\r\nNats-Msg-Id: *([ -~]+)")
_ROW = re.compile(rb"[0-9a-f]{16} ")
_NO_ROW = (b"\nNats-Stream:", b"\nKV-Operation:", b"\nNats-Marker-Reason:")
"""Of what the store answered, into the row of another, and of the mark that a row was deleted."""


async def move(members: Wire, tables: Wire, clock: Clock = SYSTEM_CLOCK) -> None:
    """Each stream is closed, copied and deleted; of the record most is copied before it is closed.
    If this is broken off, it is done again. Raises WireError and KvError."""
    old, new = JetStream(members, clock=clock), JetStream(tables, clock=clock)
    found: list[Any] = (await old.ask("STREAM.NAMES", None)).get("streams") or []
    # The largest first: without the others members can be for a moment only.
    for name in sorted({*found} & {*STREAMS}, key=lambda name: name != AUDIT):
        copied = await _copy(old, new, name, 1) if name == AUDIT else 1
        told = await old.ask(f"STREAM.INFO.{name}", None)
        await old.ask(f"STREAM.UPDATE.{name}", {**told["config"], "sealed": True})
        await _copy(old, new, name, copied)
        await old.ask(f"STREAM.DELETE.{name}", None)


async def _copy(old: JetStream, new: JetStream, name: str, first: int) -> int:
    """The messages from a sequence on; the one after them."""
    while True:
        try:
            told = await old.ask(f"STREAM.MSG.GET.{name}", {"seq": first, "next_by_subj": ">"})
        except NoMessage:
            return first
        try:
            message = told["message"]
            subject, first = str(message["subject"]), int(message["seq"]) + 1
            headers = base64.b64decode(message.get("hdrs", ""))
            data = base64.b64decode(message.get("data", ""))
        except (KeyError, TypeError, ValueError) as problem:
            raise KvError("The store's answer cannot be read.") from problem
        if (kept := _keep(name, subject, headers, data)) is not None:
            read_answer(await new.request(subject, data, kept))


def _keep(name: str, subject: str, headers: bytes, data: bytes) -> dict[str, str] | None:
    """With which headers it is kept; None for what no member wrote, or none reads."""
    if any(mark in headers for mark in _NO_ROW):
        return None
    if name == AUDIT:
        found = _ID.search(headers)
        return None if found is None else {"Nats-Msg-Id": found[1].decode()}
    host, *slot = subject.split(".")[2:]
    known = is_member_id(host) and (not slot or slot[0] in SLOTS)
    return {} if _ROW.match(data) and (known or name == _OF_ADMINISTRATORS) else None
