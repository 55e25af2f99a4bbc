"""Calls that need a person's approval."""

import asyncio
from typing import Any

import pytest

from app_tools.test_trust import discover
from handheld.app_tools.trust import Standing, Trust
from handheld.errors import PermissionDenied
from handheld_virtual.sms.message import Box
from harness.polling import HANG

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


async def test_an_allowed_call_proceeds(rig: Rig, person: Person) -> None:
    async with person.listening() as stream:
        call = asyncio.ensure_future(rig.agent("send_sms", **SMS))
        question = await asked(stream)
        assert sent(rig) == []
        await answer(person, question["id"], True)
        async with asyncio.timeout(HANG):
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


WEATHER = "dev.handheld.weather"
FORECAST = "app_get_weather_forecast"


def trust_of(rig: Rig) -> Trust:
    return Trust(rig.settings.folders.apps, first_use=True)


async def always(person: Person, id: int) -> Any:
    body = {"allow": True, "always": True}
    return (await person.post(f"/console/api/questions/{id}/answer", body)).json()


async def forecast(rig: Rig) -> str:
    async with asyncio.timeout(HANG):
        return str(await rig.agent(FORECAST, location="Berlin"))


async def test_always_approves_the_app_as_it_was_in_the_question(rig: Rig, person: Person) -> None:
    async with person.listening() as stream:
        call = asyncio.ensure_future(forecast(rig))
        question = await asked(stream)
        assert (question["package"], question["always"], question["allow_by"]) == (
            WEATHER,
            True,
            {
                "setting": f'policy.allow = ["{FORECAST}"]',
                "command": f"handheld apps approve {WEATHER}",
            },
        )
        assert await always(person, question["id"]) == {"counts": True}
        assert "Berlin" in await call
        # At once, and without another question.
        assert "Berlin" in await forecast(rig)
        trust_of(rig).revoke(WEATHER)
        with pytest.raises(PermissionDenied, match="was revoked"):
            await forecast(rig)
        (await person.post(f"/console/api/apps/{WEATHER}/approve", seen_of(rig))).raise_for_status()
        assert "Berlin" in await forecast(rig)
        assert await always(person, question["id"]) == {"counts": False}
    assert rig.gate.pending() == []


def seen_of(rig: Rig) -> dict[str, str]:
    [(phone, records)] = trust_of(rig).records().items()
    [record] = [record for record in records if record.package == WEATHER]
    return {"phone": phone, "seen": record.seen.digest}


async def test_always_is_refused_for_what_no_approval_of_an_app_allows(
    rig: Rig, person: Person
) -> None:
    async with person.listening() as stream:
        call = asyncio.ensure_future(rig.agent("send_sms", **SMS))
        question = await asked(stream)
        assert (question["package"], question["always"]) == ("", False)
        assert question["allow_by"] == {
            "setting": 'policy.allow = ["send_sms"]',
            "command": "handheld serve --policy-allow send_sms",
        }
        assert (await always(person, question["id"]))["message"] == (
            "Approving an app would not allow send_sms: the rule 'send_sms' asks about it."
        )
        # The question is as open as it was.
        assert [one.id for one in rig.gate.pending()] == [question["id"]]
        refused = {"allow": False, "always": True}
        reply = await person.post(f"/console/api/questions/{question['id']}/answer", refused)
        assert reply.json()["message"] == "`always` requires `allow`."
        assert await answer(person, question["id"], False) == {"counts": True}
        with pytest.raises(PermissionDenied):
            await call


async def test_always_is_refused_if_the_app_changed_since_the_question(
    rig: Rig, person: Person
) -> None:
    trust = trust_of(rig)
    rig.settings.folders.apps.unlink(missing_ok=True)
    async with person.listening() as stream:
        call = asyncio.ensure_future(forecast(rig))
        question = await asked(stream)
        [phone] = trust.records()
        trust.judge(phone, [discover("other", signer="bb", package=WEATHER)])
        assert (await always(person, question["id"]))["message"] == (
            f"{WEATHER} has changed meanwhile. Look at it again."
        )
        assert trust.record(phone, WEATHER).standing is not Standing.APPROVED  # type: ignore[union-attr]
        assert await answer(person, question["id"], False) == {"counts": True}
        with pytest.raises(PermissionDenied):
            await call


async def test_agents_have_no_tool_to_answer_questions(rig: Rig) -> None:
    names = {listing.name for listing in await rig.surface.tools()}
    assert not [name for name in names if "approv" in name or "answer" in name or "watch" in name]
