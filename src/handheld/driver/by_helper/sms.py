"""SIM cards and text messages through the helper."""

import asyncio

from ...helper.protocol import Happened, HelperFailure
from ..failures import SMS_MS
from ..sms import MAY_BE_SENT, NOTHING_SENT, Subscription
from .verbs import ACT_MS, HelperVerbs


class HelperSms(HelperVerbs):
    async def subscriptions(self) -> list[Subscription]:
        found = (await self._call("sims", {}, ACT_MS)).reply["sims"]
        return [
            Subscription(sim["id"], sim["slot"], sim["display_name"], sim["carrier_name"])
            for sim in found
        ]

    async def send_sms(self, subscription: int, to: str, text: str) -> int:
        arguments = {"subscription": subscription, "to": to, "text": text}
        try:
            return (await self._call("sms", arguments, SMS_MS, act=True)).reply["parts"]
        except asyncio.CancelledError as stop:
            failure = stop.__cause__
            certain = isinstance(failure, HelperFailure) and failure.happened is Happened.NO
            stop.add_note(NOTHING_SENT if certain else MAY_BE_SENT)
            raise
