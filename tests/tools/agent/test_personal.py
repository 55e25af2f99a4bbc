"""Contacts, events, calls, messages and media, for models."""

from datetime import UTC, date, datetime, timedelta

import pytest

from handheld.access.request_scope import RequestScope
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.options import SurfaceOptions
from handheld.driver.by_helper import driver as by_helper
from handheld.driver.by_shell import tables as by_shell
from handheld.errors import InvalidParams
from handheld_virtual.system.personal import MISSED, OUTGOING, Contact, Event, LoggedCall
from harness.one_phone import OnePhone
from harness.phones import PhoneClock

from .conftest import AgentBench

pytestmark = pytest.mark.parametrize("agent_by", ["helper", "shell"], indirect=True)


@pytest.fixture
def personal(bench: AgentBench) -> AgentBench:
    options = SurfaceOptions(
        policy=RequestScope(on=frozenset({"personal"})), clock=PhoneClock(bench.device)
    )
    bench.counter.surface = make_agent_surface(bench, options)  # type: ignore[assignment]
    return bench


MORNING = datetime(2026, 2, 11, 9, tzinfo=UTC)


@pytest.mark.slow
async def test_contacts_are_one_line_each(personal: AgentBench) -> None:
    name = 'Ágnes "the boss"\nRow: 1'
    personal.world.personal.contacts.append(Contact(name, "+36 30 111", "Mobile", "a@b.c"))
    assert await personal.call("read", what="contacts", of="agnes boss") == (
        '"Ágnes \\"the boss\\" Row: 1" mobile "+36 30 111", home "a@b.c"'
    )
    rows = await personal.call("read", what="contacts", of="Ada", limit=1)
    assert rows.endswith("\nThere are more contacts: raise limit.")
    assert await personal.call("read", what="contacts", of="nobody") == "No contacts."
    failure = await personal.failure("read", what="contacts")
    assert failure.message == "phone_read contacts needs of: words of a name, or a number."


@pytest.mark.slow
async def test_none_among_a_part_is_not_told_as_none(
    personal: AgentBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_helper, "QUERY_ROWS", 5)
    monkeypatch.setattr(by_shell, "MOST_LINES", 5)
    assert await personal.call("read", what="contacts", of="nobody") == (
        "No contacts among those that were looked at; there are more."
    )


async def test_events_of_days_are_one_line_each(personal: AgentBench) -> None:
    personal.world.personal.events += [
        Event("Offer", MORNING, timedelta(hours=1), "Room 4", "Bring\nit", "Work"),
        Event("Fair", date(2026, 2, 12), timedelta(days=2)),
    ]
    assert await personal.call("read", what="events", of="2026-02-11") == (
        '2026-02-11 09:00-10:00 "Offer" at "Room 4" calendar "Work" note "Bring it"'
    )
    assert await personal.call("read", what="events", of="2026-02-12/2026-02-13") == (
        '2026-02-12 to 2026-02-13 "Fair" calendar "Personal"'
    )
    assert await personal.call("read", what="events", of="2026-03-11") == "No events."


@pytest.mark.parametrize("of", ["", "today", "2026-02-12/2026-02-11", "2026-02-12/x"])
async def test_other_days_are_refused(personal: AgentBench, of: str) -> None:
    failure = await personal.failure("read", what="events", of=of)
    assert isinstance(failure, InvalidParams)
    assert failure.message.startswith("phone_read events needs of: a day as 2024-01-15")


async def test_calls_and_messages_are_one_line_each(personal: AgentBench) -> None:
    now = int(MORNING.timestamp() * 1000)
    personal.world.personal.calls += [
        LoggedCall("+3630", MISSED, now, name="Ágnes"),
        LoggedCall("+3620", OUTGOING, now - 60_000, 12),
    ]
    assert await personal.call("read", what="calls") == (
        '2026-02-11 09:00 missed "+3630" "Ágnes"\n2026-02-11 08:59 outgoing "+3620" 12 s'
    )
    personal.world.telephony.store("+36301112233", "Hi\nthere", date=now, read=False)
    assert await personal.call("read", what="messages", of="06 30 111 2233") == (
        '2026-02-11 09:00 received unread "+36301112233": "Hi there"'
    )
    assert await personal.call("read", what="messages", of="Bank") == (
        "No messages. phone_read contacts lists the numbers of a person."
    )


async def test_media_are_one_line_each(personal: AgentBench) -> None:
    rows = (await personal.call("read", what="media")).split("\n")
    assert all(row.startswith('"/storage/emulated/0/') and " bytes " in row for row in rows)
    failure = await personal.failure("read", what="media", of="books")
    assert failure.message == "phone_read media takes of: image, video or audio."


async def test_they_are_not_listed_unless_the_owner_switches_them_on(bench: AgentBench) -> None:
    async def values(policy: RequestScope) -> set[str]:
        options = SurfaceOptions(policy=policy)
        surface = make_agent_surface(OnePhone(bench.phone), options)
        [read] = [tool for tool in await surface.tools() if tool.name == "phone_read"]
        return set(read.input_schema["properties"]["what"]["enum"])

    assert await values(RequestScope(on=frozenset({"personal"}))) - await values(
        RequestScope()
    ) == {
        "contacts",
        "events",
        "calls",
        "messages",
        "media",
    }
