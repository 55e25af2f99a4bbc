"""Files through the helper."""

from ..files import Content, Place
from .verbs import ACT_MS, READ_MS, HelperVerbs

COMMIT_MS = 30_000
"""Includes the time to read the replaced file again."""


class HelperFiles(HelperVerbs):
    async def locate(self, root: str, path: str) -> Place:
        arguments = {"root": root, "path": path}
        reply = (await self._call("locate", arguments, READ_MS)).reply
        return Place(reply["root"], reply["path"], reply["kind"], reply["size"], reply["available"])

    async def commit(self, root: str, temp: str, path: str, expect: Content | None) -> None:
        wanted = None if expect is None else {"size": expect.size, "sha256": expect.sha256}
        arguments = {"root": root, "temp": temp, "path": path, "expect": wanted}
        await self._call("commit", arguments, COMMIT_MS, act=True)

    async def remove(self, root: str, path: str) -> bool:
        answer = await self._call("remove", {"root": root, "path": path}, ACT_MS, act=True)
        return answer.reply["removed"]
