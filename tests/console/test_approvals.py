"""Calls that need a person's approval."""

import asyncio
from typing import Any

import pytest

from handheld.access.approval import Pending
from handheld.console.approvals import question
from handheld.errors import PermissionDenied
from handheld.toolkit.call import Caller, ToolCall
from handheld.toolkit.tool import Listing
from handheld.virtual.sms.message import Box

from .rig import EventStream, Person, Rig

SMS = {"to_phone_number": "+36201234567", "sms_text": "<b>Hi</b>\u202e", "subscription_id": 14}


async def asked(stream: EventStream) -> Any:
    return await stream.until("question", "asked")


def sent(rig: Rig) -> list[tuple[str, str]]:
    messages = rig.phone.world.telephony.messages
    return [(message.address, message.body) for message in messages if message.box is Box.SENT]


@pytest.fixture(autouse=True)
async def nothing_sent(rig: Rig) -> None:
    """The tests of the module share the phone: remove the messages of earlier tests."""
    telephony = rig.phone.world.telephony
    for message in telephony.messages:
        telephony.delete(message.id)


async def answer(person: Person, id: int, allow: Any) -> Any:
    return (await person.post(f"/console/api/questions/{id}/answer", {"allow": allow})).json()


async def test_a_question_includes_everything_needed_to_decide(rig: Rig, person: Person) -> None:
    async with person.listening() as stream:
        call = asyncio.ensure_future(rig.agent("send_sms", **SMS))
        question = await asked(stream)
        shown = {
            key: question[key] for key in ("tool", "title", "phone", "client", "token", "rule")
        }
        assert shown == {
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


def test_oversized_arguments_are_truncated_with_a_note() -> None:
    listing = Listing("app_x", "X", "", {})
    given = {"short": "x", "long": "x" * 30_000, "deep": ["x" * 30_000]}
    call = ToolCall("app_x", listing, {**given, **{f"n{n}": n for n in range(200)}}, Caller("http"))
    shown = question(Pending(1, call, 0.0, 45.0, "app_*"))["arguments"]
    assert shown["short"] == "x"
    assert shown["long"] == "x" * 20_000 + "… (10000 more characters are not shown)"
    assert shown["deep"] == '["' + "x" * 19_998 + "… (10004 more characters are not shown)"
    assert (len(shown), shown["…"]) == (101, "103 more arguments are not shown")


async def test_an_allowed_call_proceeds(rig: Rig, person: Person) -> None:
    async with person.listening() as stream:
        call = asyncio.ensure_future(rig.agent("send_sms", **SMS))
        question = await asked(stream)
        assert sent(rig) == []
        await answer(person, question["id"], True)
        async with asyncio.timeout(60):
            await call
    assert sent(rig) == [(SMS["to_phone_number"], SMS["sms_text"])]


async def test_the_first_answer_of_two_consoles_counts_and_the_other_is_notified(rig: Rig) -> None:
    answering, other = await rig.person(), await rig.person()
    async with answering.listening() as first, other.listening() as second:
        call = asyncio.ensure_future(rig.agent("send_sms", **SMS))
        id = (await asked(first))["id"]
        assert (await asked(second))["id"] == id
        assert await answer(answering, id, False) == {"counts": True}
        assert await answer(other, id, True) == {"counts": False}
        event = await second.until("question", "denied")
        assert (event["id"], event["who"]) == (id, answering.name)
        with pytest.raises(PermissionDenied):
            await call


async def test_a_cancelled_call_withdraws_its_question(rig: Rig, person: Person) -> None:
    async with person.listening() as stream:
        call = asyncio.ensure_future(rig.agent("send_sms", **SMS))
        question = await asked(stream)
        call.cancel()
        assert (await stream.until("question", "withdrawn"))["id"] == question["id"]
        assert await answer(person, question["id"], True) == {"counts": False}


async def test_a_persons_own_calls_need_no_approval(rig: Rig, person: Person) -> None:
    async with person.listening():
        answer = await person.post(
            f"/console/api/phones/{rig.serial}/act", {"tool": "press_home", "arguments": {}}
        )
    assert answer.status_code == 200


@pytest.mark.parametrize("allow", ["yes", 1, None])
async def test_an_answer_must_be_a_boolean(person: Person, allow: Any) -> None:
    assert (await answer(person, 1, allow))["message"] == "allow must be true or false."


@pytest.mark.parametrize("id", ["x", "-1", "٣"])
async def test_a_question_id_that_is_not_a_number_is_not_found(person: Person, id: str) -> None:
    answer = await person.post(f"/console/api/questions/{id}/answer", {"allow": True})
    assert answer.status_code == 404


async def test_agents_have_no_tool_to_answer_questions(rig: Rig) -> None:
    names = {listing.name for listing in await rig.surface.tools()}
    assert not [name for name in names if "approv" in name or "answer" in name or "watch" in name]
