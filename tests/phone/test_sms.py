"""Error messages for phones that report less than others."""

from typing import cast

import pytest

from handheld.clock import Clock
from handheld.driver import Driver
from handheld.driver.sms import Subscription
from handheld.errors import InvalidParams
from handheld.phone.personal.sms import Sms


class Reticent:
    """A driver of a phone that does not report its known subscriptions."""

    async def subscriptions(self) -> list[Subscription]:
        return [Subscription(1, 0, "Work", "")]

    async def known_subscriptions(self) -> frozenset[int] | None:
        return None


async def test_an_inactive_subscription_may_be_unknown_or_disabled() -> None:
    sms = Sms(cast(Driver, Reticent()), cast(Clock, None))
    with pytest.raises(InvalidParams) as refused:
        await sms.send("+36201234567", "Hello", 2)
    assert refused.value.message == (
        "No active subscription has the id 2: it is unknown, or its SIM card is not in use. Active:"
        " 1 (SIM slot 0, Work). Nothing was sent."
    )
