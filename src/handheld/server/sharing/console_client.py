"""The console of another process of this user, for a person at a terminal."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from ...devices.ownership import OwnerGone, OwnershipEntry
from ...errors import TimedOut, ToolError
from .remote import RemoteSurface

_WATCH_SECONDS = 24 * 3600.0
"""Longer than a session lasts."""


class ConsoleClient:
    """The session is opened with the first request."""

    def __init__(self, entry: OwnershipEntry, *, blocking: bool = False) -> None:
        """`blocking`: no event loop runs, and none is needed."""
        self.entry = entry
        self._remote = RemoteSurface(entry, blocking=blocking)
        self._session: dict[str, str] = {}
        """The headers that prove it."""

    async def questions(self) -> list[dict[str, Any]]:
        """The questions that wait for a person, the oldest first. `left` is for how many
        seconds."""
        headers = await self._log_in()
        answer = await self._remote.send("GET", "/console/api/questions", headers=headers)
        if not isinstance(answer, dict):
            raise ToolError(f"{self.entry} does not say what it asks.")
        return [{**each, "left": each["until"] - answer["now"]} for each in answer["questions"]]

    async def answer(self, id: object, *, allow: bool, always: bool = False) -> bool:
        """False: the question is no longer open."""
        body = {"allow": allow, **({"always": True} if always else {})}
        path = f"/console/api/questions/{quote(str(id), safe='')}/answer"
        answer = await self._remote.send("POST", path, body, await self._log_in())
        return isinstance(answer, dict) and bool(answer.get("counts"))

    async def watch(self, note: Callable[[dict[str, Any]], None]) -> None:
        """Be there to be asked, until the owner or the session ends. `note` is given each change of
        a question, with its `state`, and first an empty one: what was asked before is to be read
        then."""

        def take(message: bytes) -> None:
            told = json.loads(message)
            if told.keys() == {"now"}:  # hello
                note({})
            elif "state" in told and "until" in told:  # other events are not about questions
                note({**told, "left": told["until"] - told["now"]})

        headers = await self._log_in()
        with suppress(TimedOut):
            await self._remote.send(
                "GET", "/console/events", headers=headers, seconds=_WATCH_SECONDS, note=take
            )

    async def aclose(self) -> None:
        with suppress(OwnerGone, ToolError):
            if self._session:
                await self._remote.send("POST", "/console/logout", {}, self._session)
        await self._remote.aclose()

    async def _log_in(self) -> dict[str, str]:
        if not self._session:
            headers = {"X-Handheld-Owner": self.entry.console}
            opened = await self._remote.send("POST", "/console/session", headers=headers)
            if not isinstance(opened, dict):
                raise ToolError(f"{self.entry} opens no session of its console.")
            self._session = {
                "Cookie": opened["cookie"],
                "X-Handheld-Console": opened["proof"],
                "Origin": self.entry.url,
            }
        return self._session
