"""Leases in the console: who has a phone until when, and ending that."""

import asyncio

import pytest

from handheld.errors import ActionFailed
from handheld.phone.leases.lease import Lease, LeaseRefused

from .rig import TOKEN, EventStream, Person, Rig

PRESS = {"x": 300, "y": 900, "duration": 60_000}


async def take(rig: Rig, token: str) -> Lease:
    assert rig.switch.leases is not None
    who = f"<b>agent</b> (token {token})"
    return await rig.switch.leases.take(token, who, rig.serial, {rig.serial}, 600)


async def told(stream: EventStream) -> None:
    """Until the page is told that something changed."""
    while (await stream.next())[0] != "leases":
        pass


async def test_a_person_sees_who_has_a_phone_and_ends_the_lease(rig: Rig, person: Person) -> None:
    [row] = await person.api("phones")
    assert row["lease"] is None
    async with person.listening() as stream:
        lease = await take(rig, "tester")
        await told(stream)
        [row] = await person.api("phones")
        assert row["lease"] == {
            "who": "<b>agent</b> (token tester)",
            "state": "held",
            "since": lease.since,
            "until": lease.until,
        }
        pressing = asyncio.ensure_future(rig.agent("long_press", **PRESS))
        await rig.until(lambda: bool(rig.phone.world.injection.down))
        answer = await person.post("/console/api/lease/end", {"phone": rig.serial})
        assert answer.json()["message"].startswith(f"The lease of {rig.serial} by ")
        with pytest.raises(ActionFailed, match=r"its lease .* the owner of the phone ended it"):
            await pressing
        await told(stream)
        assert not rig.phone.world.injection.down
        [row] = await person.api("phones")
        assert row["lease"] is None
    with pytest.raises(LeaseRefused, match="the owner of the phone ended it"):
        await rig.agent("press_home")
    await rig.agent("press_home")


async def test_the_person_acts_on_a_leased_phone(rig: Rig, person: Person) -> None:
    lease = await take(rig, "another")
    with pytest.raises(LeaseRefused, match="is leased to <b>agent</b>"):
        await rig.agent("get_screen_state")
    act = {"tool": "press_home", "arguments": {}}
    answer = await person.post(f"/console/api/phones/{rig.serial}/act", act)
    assert answer.json() == {"said": ["Home button press executed successfully"]}
    await person.api(f"phones/{rig.serial}/screen")
    assert lease.held
    assert rig.switch.leases is not None
    rig.switch.leases.end(lease, "the test is over")
    await rig.until(lease.over.is_set)


async def test_a_token_ends_no_lease(rig: Rig, person: Person) -> None:
    lease = await take(rig, "another")
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    for path in ("/lease/end", "/console/api/lease/end"):
        answer = await person.http.post(path, json={"phone": rig.serial}, headers=bearer)
        assert answer.status_code in (401, 403), answer.text
    assert lease.held
    answer = await person.post("/console/api/lease/end", {"phone": "attic"})
    assert "No phone here is called 'attic'" in answer.text
    assert rig.switch.leases is not None
    rig.switch.leases.end(lease, "the test is over")
    await rig.until(lease.over.is_set)
