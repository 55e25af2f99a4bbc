"""Tests of the app, as a person would use it."""

import pytest

from handheld import AsyncPhone, ElementNotFound, Phone


def test_total_has_the_tip_in_it(tips: Phone) -> None:
    tips.type("40", into="Amount")
    tips.tap("20 %")
    tips.expect("Total 48.00")


@pytest.mark.parametrize(
    ("typed", "rate", "says"),
    [("12.50", "0 %", "Total 12.50"), ("ten", "10 %", "ten is no amount.")],
)
def test_amounts(tips: Phone, typed: str, rate: str, says: str) -> None:
    tips.type(typed, into="Amount")
    tips.tap(rate)
    tips.expect(says)


def test_nothing_is_taken_for_an_amount(tips: Phone) -> None:
    tips.tap("10 %")
    assert "Nothing is no amount." in tips.look()
    assert "empty" in tips.look().element("Amount").states


def test_rates_that_the_app_does_not_have(tips: Phone) -> None:
    with pytest.raises(ElementNotFound, match="30 %"):
        tips.tap("30 %")


@pytest.mark.api(26, 30, 37)
def test_old_and_new_android(tips: Phone) -> None:
    done = tips.do(
        [
            {"tool": "type", "text": "10", "into": "Amount"},
            {"tool": "tap", "at": "10 %"},
            {"tool": "wait", "text": "Total 11.00"},
        ]
    )
    assert done.startswith("3 of 3 done.")


def test_the_amount_survives_home(tips: Phone) -> None:
    tips.type("7", into="Amount")
    tips.press("home")
    tips.open("Tips")
    assert tips.look().element("Amount").value == "7"


async def test_asynchronous_code(async_phone: AsyncPhone) -> None:
    await async_phone.open("Tips")
    await async_phone.type("5", into="Amount")
    await async_phone.tap("0 %")
    await async_phone.expect("Total 5.00")
