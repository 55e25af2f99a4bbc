"""Intents through the helper."""

from typing import Any

from ..intents import Handler, Intent, Sent, decode_handlers, sent_as
from .verbs import PACKAGES_MS, HelperVerbs

INTENT_MS = 15_000
"""The helper waits 5 s for the window; Android may take some time before that."""


class HelperIntents(HelperVerbs):
    async def handlers(self, intent: Intent) -> list[Handler]:
        answer = await self._call("resolve", _encode(intent), PACKAGES_MS)
        return decode_handlers(answer.reply["handlers"])

    async def send_intent(self, intent: Intent) -> Sent:
        on_screen = intent.kind == "activity"
        arguments = {
            **_encode(intent),
            "flags": sent_as(intent).flags,
            "extras": [[extra.name, extra.type, _value(extra.value)] for extra in intent.extras],
        }
        answer = await self._call("intent", arguments, INTENT_MS, act=True, wake=on_screen)
        handlers = decode_handlers(answer.reply["handlers"])
        return Sent(tuple(handlers), answer.reply["front"] or "")


def _encode(intent: Intent) -> dict[str, Any]:
    return {
        "type": intent.kind,
        "action": intent.action or None,
        "data": intent.data or None,
        "mime": intent.mime_type or None,
        "package": intent.package or None,
        "class": intent.class_name or None,
        "categories": list(intent.categories),
    }


def _value(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
