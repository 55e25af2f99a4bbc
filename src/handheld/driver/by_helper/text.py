"""Typing and the clipboard through the helper."""

import asyncio
import json

from ...helper.protocol import HelperFailure
from ...screen.model import Window
from ..target import Target
from ..text import Typed, Typing
from .input import describe_target
from .screen import decode_window
from .verbs import ACT_MS, HelperVerbs


class HelperText(HelperVerbs):
    async def type(self, target: Target, typing: Typing) -> Typed:
        arguments = {**describe_target(target), **typing.describe()}
        try:
            answer = await self._call("type", arguments, typing.budget_ms, act=True)
        except asyncio.CancelledError as stop:
            failure = stop.__cause__
            if isinstance(failure, HelperFailure) and "typed" in failure.data:
                went_in = f"{failure.data['typed']} of {typing.length} characters"
                stop.add_note(f"{went_in} had been typed.")
            raise
        reply, data = answer
        return Typed(
            reply["content"],
            reply["typed"],
            reply["removed"],
            reply["password"],
            reply["matches"],
            self._window_of(target, data),
        )

    def _window_of(self, target: Target, data: bytes) -> Window | None:
        """Return the field's window as read after typing, alone or with the whole screen."""
        if self._rest is None:
            windows = [decode_window(each) for each in json.loads(data)["windows"]] if data else []
        else:
            screen = self._rest.rested and self._rest.rested.screen
            windows = screen.windows if screen else []
        return next((each for each in windows if target.key.startswith(f"{each.id}:")), None)

    async def key(self, key: str) -> None:
        await self._call("key", {"key": key}, ACT_MS, act=True)

    async def get_clipboard(self) -> str | None:
        return (await self._call("clipboard", {"set": None}, ACT_MS)).reply["text"]

    async def set_clipboard(self, text: str) -> None:
        await self._call("clipboard", {"set": text}, ACT_MS, act=True)
