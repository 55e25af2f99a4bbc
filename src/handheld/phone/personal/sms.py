"""SMS of a phone: choosing the SIM card, applying the owner's rules, sending at most once."""

import logging
import math
from collections.abc import Awaitable, Callable, Sequence

from ...clock import Clock
from ...driver import Driver
from ...driver.sms import (
    MAY_BE_SENT,
    NOTHING_SENT,
    MayBeSent,
    NotSent,
    Subscription,
    SubscriptionGone,
)
from ...errors import ActionFailed, InvalidParams, PermissionDenied, ToolError
from ...screen.characters import plain
from ...screen.text import cut
from .sms_rules import SentParts, SmsRules, count_parts, mask

_log = logging.getLogger(__name__)

_RESULTS = {
    1: "the phone gives no further reason. The network may not accept the number, the credit may be"
    " used up, or the phone does not let adb send messages",
    2: "the phone's radio is off. Check whether airplane mode is on",
    3: "the phone could not create a message from this number and text",
    4: "the SIM card has no service. Wait until it has a network, or use another subscription",
    5: "after many messages the phone asked for permission on its screen, and did not get it. Wait"
    " a minute",
    6: "the SIM card sends only to its fixed dialling numbers (FDN)",
    7: "the phone's owner does not allow messages to this short code",
    8: "the phone never allows messages to this short code",
    10: "the network rejected it",
    16: "the phone's modem had a fault",
    17: "the network had a fault",
    29: "an emergency call is in progress",
    33: "this user of the phone may not send messages",
    120: "the phone has no SIM card",
}
"""The meanings of SmsManager's result codes, as the end of a sentence."""
_RADIO_OFF, _NO_SERVICE = 2, 4
_AIRPLANE = "airplane mode is on. Turn it off and try again"
_ONLY_RADIO = (
    "the phone's radio is off, although airplane mode is not on. Turn the SIM card on in the"
    " phone's settings, or restart the phone"
)


class Sms:
    """SMS of one phone. Limits count all its callers together."""

    def __init__(
        self,
        driver: Driver,
        clock: Clock,
        rules: SmsRules | None = None,
        sent: SentParts | Callable[[], Awaitable[SentParts]] | None = None,
    ) -> None:
        """`sent` is the count over all connections to this phone, or a function that finds it."""
        self._driver = driver
        self._clock = clock
        self._rules = rules or SmsRules()
        self._find_sent = sent if callable(sent) else None
        self._sent = SentParts() if sent is None or callable(sent) else sent
        self._seen: frozenset[int] = frozenset()
        """The subscriptions that were active when last queried. The phone checks again before it
        sends, so a known one is not queried again."""

    async def subscriptions(self) -> list[Subscription]:
        """Return the subscriptions of the active SIM cards, allowed or not, by slot."""
        active = sorted(
            await self._driver.subscriptions(), key=lambda subscription: subscription.slot
        )
        self._seen = frozenset(subscription.id for subscription in active)
        return active

    async def send(self, to: str, text: str, subscription: int | None) -> str:
        """Send a checked text to a checked number, at most once; return the reply."""
        if setting := self._rules.find_bar(to):
            raise PermissionDenied(
                f"Messages to {to} are not allowed by the setting {setting}. {NOTHING_SENT}"
            )
        parts = count_parts(text)
        if self._rules.dry_run:
            chosen = await self._choose(subscription)
            about = "about " if parts > 1 else ""  # only the phone divides the text
            return (
                f"Dry run: nothing was sent. An SMS to {to} would have been sent by subscription"
                f" {_name(chosen)}, in {about}{_count(parts)}. The setting sms.dry_run is on."
            )
        if subscription is not None and subscription in self._seen and self._allows(subscription):
            id = subscription
        else:
            id = (await self._choose(subscription)).id
        if self._find_sent is not None:
            self._sent = await self._find_sent()
        self._count(parts)
        seen, self._seen = self._seen, frozenset()  # until the phone confirms it
        try:
            really = await self._driver.send_sms(id, to, text)
            self._seen = seen
        except NotSent as failure:
            _log.info("SMS to %s by %s: result %s.", mask(to), id, failure.result)
            self._count_more(failure.parts - parts)
            raise ActionFailed(await self._explain(to, failure)) from None
        except SubscriptionGone:
            await self._choose(id)  # raises unless the subscription is active again
            raise InvalidParams(
                f"The subscription {id} was not active a moment ago. {NOTHING_SENT}"
            ) from None
        except MayBeSent as doubt:
            _log.info("SMS to %s by %s: outcome unknown.", mask(to), id)
            raise ActionFailed(f"{doubt.why} {MAY_BE_SENT}") from None
        except ToolError:
            raise
        except Exception as fault:
            # The fault is logged, and its message may contain the number or the text.
            message = f"{type(fault).__name__} while an SMS was being sent"
            raise RuntimeError(message).with_traceback(fault.__traceback__) from None
        self._count_more(really - parts)
        _log.info("SMS to %s by %s: sent in %s.", mask(to), id, _count(really))
        return f"SMS sent to {to}"

    def _allows(self, subscription: int) -> bool:
        return not self._rules.subscriptions or subscription in self._rules.subscriptions

    async def _choose(self, asked: int | None) -> Subscription:
        active = await self.subscriptions()
        if not active:
            raise ActionFailed(
                "The phone has no active SIM card: put one in, or turn it on in the phone's"
                f" settings. {NOTHING_SENT}"
            )
        allowed = [each for each in active if self._allows(each.id)]
        if asked is not None:
            found = next((each for each in active if each.id == asked), None)
            if found is None:
                why = _explain_missing(asked, await self._driver.known_subscriptions())
                raise InvalidParams(f"{why} Active: {_list(active)}. {NOTHING_SENT}")
            if found not in allowed:
                others = f" Allowed: {_list(allowed)}." if allowed else ""
                raise PermissionDenied(
                    f"Sending by subscription {_name(found)} is not allowed by the setting"
                    f" sms.subscriptions.{others} {NOTHING_SENT}"
                )
            return found
        if not allowed:
            named = ", ".join(map(str, sorted(self._rules.subscriptions)))
            raise PermissionDenied(
                "Sending is not allowed on any active subscription: the setting"
                f" sms.subscriptions names {named}."
                f" Active: {_list(active)}. {NOTHING_SENT}"
            )
        if len(allowed) > 1:
            raise InvalidParams(
                "Parameter 'subscription_id' is required, because sending is allowed on more than"
                f" one active subscription: {_list(allowed)}. {NOTHING_SENT}"
            )
        return allowed[0]

    def _count(self, parts: int) -> None:
        most = self._rules.parts_per_minute
        if parts > most:
            raise PermissionDenied(
                f"This text takes {_count(parts)}, and the setting sms.parts_per_minute allows"
                f" {most} a minute. Shorten it. {NOTHING_SENT}"
            )
        wait = self._sent.take(parts, most, self._clock.now())
        if wait > 0:
            raise PermissionDenied(
                f"The limit of {_count(most)} a minute (the setting sms.parts_per_minute, counted"
                f" over all callers) is reached. This message is possible in {math.ceil(wait)} s."
                f" {NOTHING_SENT}"
            )

    def _count_more(self, parts: int) -> None:
        """Count parts that the phone needed beyond the estimate."""
        if parts > 0:
            self._sent.add(parts, self._clock.now())

    async def _explain(self, to: str, failure: NotSent) -> str:
        reason = await self._find_reason(failure.result)
        if not failure.sent:
            return f"The SMS to {to} was not sent: {reason}. {NOTHING_SENT}"
        return (
            f"The SMS to {to} was sent in part: {failure.sent} of its {failure.parts} parts went"
            f" out, and part {failure.part} did not: {reason}. Sending it again repeats those that"
            " did."
        )

    async def _find_reason(self, result: int) -> str:
        flying = None
        if result in (_RADIO_OFF, _NO_SERVICE):
            flying = await self._driver.airplane_mode()
        if flying:
            return _AIRPLANE
        if result == _RADIO_OFF and flying is False:
            return _ONLY_RADIO
        return _RESULTS.get(result, f"Android's result code is {result}")


def _explain_missing(id: int, known: frozenset[int] | None) -> str:
    if known is None:
        return (
            f"No active subscription has the id {id}: it is unknown, or its SIM card is not in use."
        )
    if id not in known:
        return f"The phone knows no subscription with the id {id}."
    return f"The subscription {id} is not active: its SIM card is turned off, or not in the phone."


def _name(subscription: Subscription) -> str:
    # The names come from the SIM card: untrusted.
    names = [cut(plain(name)) for name in (subscription.display_name, subscription.carrier_name)]
    details = ", ".join([f"SIM slot {subscription.slot}", *(name for name in names if name)])
    return f"{subscription.id} ({details})"


def _list(subscriptions: Sequence[Subscription]) -> str:
    return ", ".join(map(_name, subscriptions))


def _count(parts: int) -> str:
    return "1 part" if parts == 1 else f"{parts} parts"
