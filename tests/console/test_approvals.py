"""Questions to a person, and what becomes of the calls."""

import asyncio
from typing import Any

import pytest

from handheld.access.approval import Pending
from handheld.console.approvals import question
from handheld.errors import PermissionDenied
from handheld.toolkit.call import Caller, ToolCall
from handheld.toolkit.tool import Listing
from handheld.virtual.sms.message import Box

from .rig import Heard, Person, Rig

SMS = {"to_phone_number": "+36201234567", "sms_text": "<b>Hi</b>\u202e", "subscription_id": 14}


async def asked(heard: Heard) -> Any:
    return await heard.until("question", "asked")


def sent(rig: Rig) -> list[tuple[str, str]]:
    messages = rig.phone.world.telephony.messages
    return [(one.address, one.body) for one in messages if one.box is Box.SENT]


@pytest.fixture(autouse=True)
async def nothing_sent(rig: Rig) -> None:
    """The phone is the module's: what another test has sent is no matter of this one."""
    telephony = rig.phone.world.telephony
    for message in telephony.messages:
        telephony.delete(message.id)


async def answer(person: Person, id: int, allow: Any) -> Any:
    return (await person.post(f"/console/api/questions/{id}/answer", {"allow": allow})).json()


async def test_a_question_shows_all_that_it_is_decided_by(rig: Rig, person: Person) -> None:
    async with person.listening() as heard:
        call = asyncio.ensure_future(rig.agent("send_sms", **SMS))
        question = await asked(heard)
        told = {key: question[key] for key in ("tool", "title", "phone", "client", "token", "rule")}
        assert told == {
            "tool": "send_sms",
            "title": "Send SMS",
            "phone": rig.serial,
            "client": "agent",
            "token": "tester",
            "rule": "send_sms",
        }
        assert question["arguments"] == SMS
        assert question["until"] - question["asked_at"] == 45
        [pending] = (await person.api("questions"))["questions"]
        assert pending == {key: question[key] for key in pending}
        assert await answer(person, question["id"], False) == {"counts": True}
        with pytest.raises(PermissionDenied):
            await call
    assert sent(rig) == []
    assert (await person.api("questions"))["questions"] == []
    entry = rig.audit.entries(tool="send_sms")[-1]
    assert entry.state == "denied"
    assert "+36201234567" not in str(entry)


def test_what_is_too_long_to_be_read_is_cut_and_says_so() -> None:
    listing = Listing("app_x", "X", "", {})
    given = {"short": "x", "long": "x" * 30_000, "deep": ["x" * 30_000]}
    call = ToolCall("app_x", listing, {**given, **{f"n{n}": n for n in range(200)}}, Caller("http"))
    shown = question(Pending(1, call, 0.0, 45.0, "app_*"))["arguments"]
    assert shown["short"] == "x"
    assert shown["long"] == "x" * 20_000 + "… (10000 more characters are not shown)"
    assert shown["deep"] == '["' + "x" * 19_998 + "… (10004 more characters are not shown)"
    assert (len(shown), shown["…"]) == (101, "103 more arguments are not shown")


async def test_an_allowed_call_goes_on(rig: Rig, person: Person) -> None:
    async with person.listening() as heard:
        call = asyncio.ensure_future(rig.agent("send_sms", **SMS))
        question = await asked(heard)
        assert sent(rig) == []
        await answer(person, question["id"], True)
        async with asyncio.timeout(60):
            await call
    assert sent(rig) == [(SMS["to_phone_number"], SMS["sms_text"])]


async def test_of_two_consoles_the_first_answer_counts_and_the_other_is_told(rig: Rig) -> None:
    one, two = await rig.person(), await rig.person()
    async with one.listening() as first, two.listening() as second:
        call = asyncio.ensure_future(rig.agent("send_sms", **SMS))
        id = (await asked(first))["id"]
        assert (await asked(second))["id"] == id
        assert await answer(one, id, False) == {"counts": True}
        assert await answer(two, id, True) == {"counts": False}
        told = await second.until("question", "denied")
        assert (told["id"], told["who"]) == (id, one.name)
        with pytest.raises(PermissionDenied):
            await call


async def test_a_call_that_is_taken_back_is_asked_about_no_more(rig: Rig, person: Person) -> None:
    async with person.listening() as heard:
        call = asyncio.ensure_future(rig.agent("send_sms", **SMS))
        question = await asked(heard)
        call.cancel()
        assert (await heard.until("question", "withdrawn"))["id"] == question["id"]
        assert await answer(person, question["id"], True) == {"counts": False}


async def test_a_persons_own_calls_are_not_asked_about(rig: Rig, person: Person) -> None:
    async with person.listening():
        said = await person.post(
            f"/console/api/phones/{rig.serial}/act", {"tool": "press_home", "arguments": {}}
        )
    assert said.status_code == 200


@pytest.mark.parametrize("allow", ["yes", 1, None])
async def test_an_answer_is_yes_or_no(person: Person, allow: Any) -> None:
    assert (await answer(person, 1, allow))["message"] == "allow must be true or false."


@pytest.mark.parametrize("id", ["x", "-1", "٣"])
async def test_questions_have_numbers(person: Person, id: str) -> None:
    answer = await person.post(f"/console/api/questions/{id}/answer", {"allow": True})
    assert answer.status_code == 404


async def test_the_agents_door_has_no_answer(rig: Rig) -> None:
    names = {listing.name for listing in await rig.surface.tools()}
    assert not [name for name in names if "approv" in name or "answer" in name or "watch" in name]
