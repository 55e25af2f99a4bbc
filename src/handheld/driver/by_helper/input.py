"""Touching the screen through the helper."""

from collections.abc import Sequence
from math import ceil
from typing import Any

from ..by_shell.finger import drag_stroke
from ..by_shell.keys import SYSTEM_BUTTONS, read_key
from ..input import Point, Seek, Sought, Spot
from ..target import NodeSignature, Target
from .verbs import ACT_MS, SLACK_MS, HelperVerbs

SCROLL_MS = 300
SEEK_MS = 40_000
"""Twenty pages, each of which takes half a second to settle and be read; or a jump, which may
scroll row by row."""


class HelperInput(HelperVerbs):
    async def touch(self, strokes: Sequence[Sequence[Point]]) -> None:
        length = max((stroke[-1][2] for stroke in strokes if stroke), default=0)
        await self._call("touch", {"strokes": strokes}, _budget_ms(length), act=True)

    async def scroll(self, direction: str, share: float) -> None:
        arguments = {"direction": direction, "share": share, "duration_ms": SCROLL_MS}
        await self._call("scroll", arguments, _budget_ms(SCROLL_MS), act=True)

    async def drag(self, start: Spot, end: Spot, density: int) -> None:
        await self.touch([drag_stroke(start, end, density)])

    async def pinch(self, x: float, y: float, scale: float, duration_ms: float) -> float:
        arguments = {"x": x, "y": y, "scale": scale, "duration_ms": duration_ms}
        answer = await self._call("pinch", arguments, _budget_ms(duration_ms), act=True)
        return answer.reply["scale"]

    async def press(self, key: str) -> None:
        if key in SYSTEM_BUTTONS:
            await self._call("press", {"button": key}, ACT_MS, act=True)
            return
        pressed = read_key(key)
        arguments = {"code": pressed.code, "meta": pressed.meta}
        await self._call("keycode", arguments, ACT_MS, act=True, wake=pressed.wakes)

    async def act(self, target: Target, action: str) -> None:
        arguments = {**describe_target(target), "action": action}
        await self._call("act", arguments, ACT_MS, act=True)

    async def seek(self, target: Target, seek: Seek) -> Sought:
        wanted = _describe(seek.wanted)
        row, column = seek.position or (None, None)
        arguments = {
            **describe_target(target),
            "wanted": {**wanted, "key": seek.key} if seek.key else wanted,
            "beside": None if seek.beside is None else _describe(seek.beside),
            "row": row,
            "column": column,
            "forward": seek.forward,
            "pages": seek.pages,
        }
        reply = (await self._call("seek", arguments, SEEK_MS, act=True)).reply
        return Sought(reply["scrolls"], reply["end"], reply["jumped"])


def _budget_ms(length_ms: float) -> int:
    return ceil(length_ms) + SLACK_MS


def describe_target(target: Target) -> dict[str, Any]:
    anchor = None
    if target.anchor is not None:
        anchor = {"key": target.anchor_key, **_describe(target.anchor)}
    return {"key": target.key, "expect": _describe(target.signature), "anchor": anchor}


def _describe(signature: NodeSignature) -> dict[str, str | None]:
    described = {
        "class": signature.class_name,
        "resource_id": signature.resource_id,
        "description": signature.description,
    }
    if signature.compare_text:
        described["text"] = signature.text
    return described
