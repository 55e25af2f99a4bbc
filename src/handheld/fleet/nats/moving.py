"""Moves the tables, which earlier versions kept in the members' account, into an account of their
own."""

import base64
import re
from typing import Any

from ...clock import SYSTEM_CLOCK, Clock
from .jetstream import JetStream, KvError, NoMessage, read_answer
from .names import AUDIT, SLOTS, STREAMS, TOKENS, is_member_id, stream
from .wire import EngineWire

_OF_ADMINISTRATORS = stream(TOKENS.name)
_ID = re.compile(rb"\r\nNats-Msg-Id: *([ -~]+)")
_ROW = re.compile(rb"[0-9a-f]{16} ")
_NO_ROW = (b"\nNats-Stream:", b"\nKV-Operation:", b"\nNats-Marker-Reason:")
"""Text in messages that are not rows: replies of the store that landed in another's row, and
markers of deleted rows."""


async def move(members: EngineWire, tables: EngineWire, clock: Clock = SYSTEM_CLOCK) -> None:
    """Close, copy and delete each stream; most of the record is copied before its stream is closed.
    An interrupted move can be repeated. Raises WireError and KvError."""
    old, new = JetStream(members, clock=clock), JetStream(tables, clock=clock)
    found: list[Any] = (await old.ask("STREAM.NAMES", None)).get("streams") or []
    # The largest first: members cannot be without the others for long.
    for name in sorted({*found} & {*STREAMS}, key=lambda name: name != AUDIT):
        copied = await _copy(old, new, name, 1) if name == AUDIT else 1
        told = await old.ask(f"STREAM.INFO.{name}", None)
        await old.ask(f"STREAM.UPDATE.{name}", {**told["config"], "sealed": True})
        await _copy(old, new, name, copied)
        await old.ask(f"STREAM.DELETE.{name}", None)


async def _copy(old: JetStream, new: JetStream, name: str, first: int) -> int:
    """Copy the messages from a sequence on. Returns the sequence after the last one."""
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
    """The headers to keep with the message; None for a message that no member wrote or reads."""
    if any(mark in headers for mark in _NO_ROW):
        return None
    if name == AUDIT:
        found = _ID.search(headers)
        return None if found is None else {"Nats-Msg-Id": found[1].decode()}
    host, *slot = subject.split(".")[2:]
    known = is_member_id(host) and (not slot or slot[0] in SLOTS)
    return {} if _ROW.match(data) and (known or name == _OF_ADMINISTRATORS) else None
