"""Leases as clients meet them: two tokens, two phones, both surfaces, over HTTP."""

import asyncio
import json
from typing import Any

import pytest

from fleet.conftest import SERIALS, House
from handheld.access.request_scope import RequestScope
from handheld.access.takeover import ALL
from handheld.phone.leases.lease import clock_text
from handheld.phone.leases.leases import IDLE_SECONDS, PATIENCE
from handheld.tools.call import Caller
from harness.polling import until

FLEET = ["list_phones", "take_phone", "lease_status", "give_back_phone"]
HOME = "Home button press executed successfully"
PERSON = Caller("console", "You", person=True)


async def wait(call: "asyncio.Task[str]") -> str:
    return await call


def rows(reply: str) -> list[dict[str, Any]]:
    return json.loads(reply.split("\n")[0])


async def test_the_tools_are_there_where_they_are_switched_on(house: House) -> None:
    every = await house.names("ada")
    assert [name for name in every if name.removeprefix("android_") in FLEET] == [
        f"android_{name}" for name in FLEET
    ]
    assert "phone_lease" in await house.names("ada", "/mcp/agent")
    house.add("touch", toolsets=("touch",))
    house.add("both", toolsets=("touch", "fleet"), read_only=True)
    assert not {f"android_{name}" for name in FLEET} & {*await house.names("touch")}
    assert await house.names("both") == ["android_list_phones", "android_lease_status"]
    [tool] = (await house.ask("both", "tools/list", "/mcp/agent"))["tools"]
    assert tool["inputSchema"]["properties"]["action"]["enum"] == ["list"]


async def test_phones_are_listed_with_what_they_are(house: House) -> None:
    listed = rows(await house.call("ada", "list_phones"))
    assert [(row["phone"], row["tags"], row["state"]) for row in listed] == [
        ("left", ["lab", "left-side"], "free"),
        ("right", ["lab", "right-side"], "free"),
    ]
    assert all(row["model"] and row["api"] > 25 for row in listed)
    said = await house.agent("bob", "phone_lease", action="list")
    assert said.split("\n")[0].startswith('left "')
    assert said.split("\n")[0].endswith("[lab, left-side]: free")


async def test_a_leased_phone_is_its_tokens_alone(house: House) -> None:
    """As behaviour 93 states."""
    taken = await house.take("ada", slug="left")
    refusal = f"failed: left is leased to token ada until {taken['ends'][11:16]}. Nothing was done,"
    assert (await house.call("bob", "press_home", device="left")).startswith(refusal)
    # Also what only reads, on every surface and by every name.
    assert (await house.call("bob", "get_screen_state", device="left")).startswith(refusal)
    assert (await house.agent("bob", "phone_look", phone="left")).startswith(refusal)
    assert (await house.call("owner", "press_home", device="left")).startswith(refusal)
    assert await house.call("ada", "press_home", device=taken["device"]) == HOME
    assert await house.call("ada", "press_home", device="left") == HOME
    assert await house.call("bob", "press_home", device="right") == HOME
    assert await house.call("ada", "give_back_phone") == "left is given back."
    assert await house.call("bob", "press_home", device="left") == HOME


async def test_without_a_device_calls_go_to_the_leased_phone(house: House) -> None:
    """As behaviour 94 states."""
    assert "Several phones are connected" in await house.call("ada", "tap", x=5, y=900)
    await house.take("ada", slug="right")
    assert (await house.call("ada", "tap", x=5, y=900)).startswith("Tap executed")
    assert (house.touched("left"), house.touched("right")) == (False, True)
    assert await house.agent("ada", "phone_press", key="home")
    await house.take("ada", slug="left")
    said = await house.call("ada", "press_home")
    assert said.startswith("failed: You have leased several phones: ")
    # A gateway knows no handles.
    told = "127.0.0.1:" if house.far else "lease-"
    assert f"left ({told}" in said
    assert f"right ({told}" in said
    assert said.endswith("Say which one with the parameter device.")
    assert "with the parameter phone." in await house.agent("ada", "phone_look")
    assert "give back" in await house.call("ada", "give_back_phone")


async def test_the_agent_surface_takes_and_gives_back(house: House) -> None:
    said = await house.agent("ada", "phone_lease", action="take", model="", tags="right-side")
    assert said.startswith('Took right "')
    handle = next(word for word in said.split() if word.startswith("lease-"))
    until_text = clock_text(house.leases.of("ada")[0].until)
    assert said.endswith(f"yours as {handle} until {until_text} (60 min).")
    steps = [{"tool": "press", "key": "home"}]
    done = await house.agent("ada", "phone_do", steps=steps, phone=handle)
    assert done.startswith("1 of 1 done.")
    assert "leased to token ada" in await house.agent("bob", "phone_lease", action="list")
    assert "yours as" in await house.agent("ada", "phone_lease", action="list")
    said = await house.agent("ada", "phone_lease", action="give_back", lease=handle)
    assert said == "right is given back."


async def test_none_free_and_none_exists_are_two_sentences(house: House) -> None:
    """As behaviour 96 states."""
    first = await house.take("ada")
    other = "right" if first["phone"] == "left" else "left"
    said = await house.call("bob", "take_phone", slug=first["phone"])
    assert said == (
        f"failed: No phone that fits is free. Nothing was taken. {first['phone']} is leased to"
        f" token ada until {first['ends'][11:16]}."
    )
    assert (await house.take("bob"))["phone"] == other
    said = await house.call("owner", "take_phone")
    assert said.startswith("failed: No phone is free. Nothing was taken. left is leased to token ")
    unknown: list[dict[str, Any]] = [
        {"model": "Nokia"},
        {"api": 3},
        {"tags": ["lab", "left-side", "x"]},
    ]
    for wanted in unknown:
        said = await house.call("owner", "take_phone", **wanted)
        assert said.startswith("failed: No phone here fits ")
        assert "There are: left (" in said
    said = await house.call("owner", "take_phone", slug="attic")
    assert said.startswith("failed: No phone here fits the name 'attic'. Nothing was taken.")


async def test_the_least_used_phone_is_taken_first(house: House) -> None:
    seen: list[str] = []
    for _ in range(4):
        seen.append((await house.take("ada"))["phone"])
        await house.call("ada", "give_back_phone")
        await house.clock.advance(1)
    assert seen[0] != seen[1]
    assert seen[:2] == seen[2:]


async def test_a_phone_that_is_taken_again_keeps_its_end(house: House) -> None:
    taken = await house.take("ada", slug="left", minutes=10)
    await house.clock.advance(300)
    said = await house.call("ada", "take_phone", slug="left", minutes=480)
    again = json.loads(said.split("\n")[0])
    assert (again["device"], again["seconds_left"]) == (taken["device"], 300)
    assert said.endswith("\nYou have it already: the end of its lease stays as it is.")


@pytest.mark.parametrize("minutes", [0, -1, 481, 10**30, "no", 1.5])
async def test_minutes_have_bounds(house: House, minutes: Any) -> None:
    said = await house.call("ada", "take_phone", minutes=minutes)
    assert said.startswith("failed: ")
    assert "minutes" in said
    assert house.leases.all() == []


async def test_a_token_takes_only_so_many(house: House) -> None:
    house.leases.most = 1
    try:
        await house.take("ada")
        said = await house.call("ada", "take_phone")
        assert said.startswith("failed: A token has at most 1 leases at a time, and yours are: ")
        await house.take("bob")
    finally:
        house.leases.most = 2


async def test_the_last_tenth_is_said_in_each_reply_once(house: House) -> None:
    await house.take("ada", slug="left", minutes=10)
    await house.clock.advance(539)
    assert "lease" not in await house.call("ada", "press_home")
    await house.clock.advance(1)
    line = "The lease of left ends in 60 s."
    assert await house.call("ada", "press_home") == f"{HOME}\n{line}"
    steps = [{"tool": "press", "key": "home"}] * 3
    said = await house.agent("ada", "phone_do", steps=steps)
    assert said.count("The lease of") == 1
    bounded = await house.agent("ada", "phone_look", max_tokens=200)
    assert "The lease of" not in bounded


async def test_a_lease_that_ended_is_told_at_the_next_call(house: House) -> None:
    """As behaviour 95 states."""
    taken = await house.take("ada", slug="left")
    await house.clock.advance(IDLE_SECONDS)
    said = await house.call("ada", "press_home")
    assert said.startswith("failed: Nothing was done. Your lease of left ended at ")
    assert "no call for 10 minutes. left is free" in said
    await until(lambda: all(row.lease is None for row in house.rows()))
    assert "Several phones" in await house.call("ada", "press_home")
    await house.take("bob", slug="left")
    said = await house.call("ada", "press_home", device=taken["device"])
    assert "left is leased to token bob until" in said
    assert ", since " in said
    assert "has no lease with that handle" in await house.call(
        "bob", "press_home", device=taken["device"]
    )


async def test_status_tells_what_is_left_and_renews(house: House) -> None:
    taken = await house.take("ada", slug="left")
    await house.clock.advance(IDLE_SECONDS - 1)
    [row] = rows(await house.call("ada", "lease_status"))
    assert (row["device"], row["phone"]) == (taken["device"], "left")
    assert row["seconds_left"] == 3600 - IDLE_SECONDS + 1
    await house.clock.advance(IDLE_SECONDS - 1)
    assert len(house.leases.of("ada")) == 1
    assert rows(await house.call("bob", "lease_status")) == []
    await house.clock.advance(IDLE_SECONDS)
    said = await house.call("ada", "lease_status")
    assert said.startswith("[]\nYour lease of left ended at ")


async def test_taking_waits_for_the_calls_of_others(house: House) -> None:
    touching = await house.press_long("bob")
    taking = house.begin("ada", "take_phone", slug="left")
    await house.clock.until_waits(PATIENCE)
    assert "is being taken by token ada" in await house.call("bob", "press_home", device="left")
    assert (await house.passing(wait(touching))).startswith("Swipe executed")
    assert '"state":"yours"' in await taking


async def test_a_taker_that_disconnects_while_it_waits_takes_nothing(house: House) -> None:
    touching = await house.press_long("bob")
    taking = house.begin("ada", "take_phone", slug="left")
    await house.clock.until_waits(PATIENCE)
    taking.cancel()
    await until(lambda: not house.leases.all())
    assert (await house.passing(wait(touching))).startswith("Swipe executed")
    assert await house.call("bob", "press_home", device="left") == HOME


@pytest.mark.at_host("a gateway does not know on which phones others have calls")
async def test_a_call_that_does_not_end_keeps_the_phone_from_a_taker(house: House) -> None:
    touching = await house.press_long("bob")
    taking = house.begin("ada", "take_phone", slug="left")
    await house.clock.until_waits(PATIENCE)
    await house.clock.advance(PATIENCE)
    assert (await taking).startswith("failed: left is busy: android_swipe, of another client,")
    # The other phone, on which nobody has a call, is taken first.
    assert (await house.take("ada"))["phone"] == "right"
    await house.passing(wait(touching))


async def test_what_runs_at_the_end_is_stopped_and_its_finger_lifted(house: House) -> None:
    await house.take("ada", slug="left", minutes=5)
    touching = await house.press_long("ada")
    await house.clock.advance(300)
    said = await touching
    assert said.startswith(
        "failed: android_swipe was stopped, because its lease of the phone ended: the requested "
        "time is over."
    )
    await until(lambda: not house.leases.all())
    assert not house.phones["left"].world.injection.down
    assert (await house.take("bob", slug="left"))["state"] == "yours"


async def test_giving_back_stops_ones_own_calls(house: House) -> None:
    await house.take("ada", slug="left")
    touching = await house.press_long("ada")
    assert await house.call("ada", "give_back_phone") == "left is given back."
    assert "it was given back" in await touching
    end = " that the directory shows." if house.far else "."
    assert f"You have no lease{end}" in await house.call("ada", "give_back_phone")
    told = await house.call("ada", "give_back_phone", device="left")
    assert f"You have no lease of left{end}" in told


async def test_a_lease_ends_when_its_token_is_revoked(house: House) -> None:
    await house.take("ada", slug="left")
    house.revoke("ada")
    # `ada` is another token now.
    house.add("ada")
    assert await house.call("bob", "lease_status") == "[]"
    await until(lambda: not house.leases.all())
    assert await house.call("bob", "press_home", device="left") == HOME
    assert await house.call("ada", "lease_status") == "[]"


@pytest.mark.at_host("a person acts at the host")
async def test_the_person_reads_and_acts_on_a_leased_phone(house: House) -> None:
    await house.take("ada", slug="left")
    for tool in ("press_home", "get_screen_state"):
        assert await house.surface.call(f"android_left_{tool}", {}, PERSON, RequestScope("left"))


async def test_the_person_takes_over_a_leased_phone_and_lets_go(house: House) -> None:
    await house.take("ada", slug="left")
    touching = await house.press_long("ada")
    house.takeover.take(("left", SERIALS[0]))
    assert "The owner of the phone has taken it over." in await touching
    assert "has taken it over" in await house.call("ada", "press_home")
    house.takeover.resume((ALL,))
    assert await house.call("ada", "press_home") == HOME
    house.takeover.take(("right", SERIALS[1]))
    said = await house.call("bob", "take_phone", slug="right")
    assert said.endswith("right is stopped by its owner.")
    if house.far:
        await until(lambda: any(row.state == "stopped" for row in house.rows()))
    house.takeover.take((ALL,))
    await until(lambda: all(row.lease or row.state == "stopped" for row in house.rows()))
    said = await house.call("bob", "take_phone")
    # A gateway knows of it without asking the host.
    assert ("is stopped by its owner" if house.far else "has taken it over") in said


async def test_the_owner_ends_a_lease_with_a_key_that_no_token_has(house: House) -> None:
    taken = await house.take("ada", slug="left")
    headers = {"Authorization": "Bearer owner's"}
    answer = await house.http.post("/lease/end", json={"phone": "left"}, headers=headers)
    assert answer.status_code == 403
    [row, _] = (await house.http.get("/phones", headers=headers)).json()
    assert (row["lease"]["who"], row["lease"]["state"]) == ("token ada", "held")
    headers["X-Handheld-Owner"] = house.key
    answer = await house.http.post("/lease/end", json={"phone": "left"}, headers=headers)
    assert answer.json() == {"message": "The lease of left by token ada is ended."}
    said = await house.call("ada", "press_home", device=taken["device"])
    assert "the owner of the phone ended it. left is free" in said
    answer = await house.http.post("/lease/end", json={"phone": "left"}, headers=headers)
    assert answer.json() == {"message": "left is not leased."}
    for body, status in (({"phone": "attic"}, 409), ({}, 400), ({"phone": 1}, 400)):
        answer = await house.http.post("/lease/end", json=body, headers=headers)
        assert answer.status_code == status


@pytest.mark.parametrize("client", ["日本のエージェント", "évil\n\u202eagent", "x" * 500])
async def test_holders_are_named_on_one_short_line(house: House, client: str) -> None:
    assert "yours" in await house.call("ada", "take_phone", client=client, slug="left")
    said = await house.call("bob", "press_home", device="left")
    assert said.startswith("failed: left is leased to ")
    assert "(token ada)" in said
    assert len(said) < 300
    assert not {"\n", "\u202e"} & {*said}
    if client.startswith("日"):
        assert client in said


async def test_a_client_that_calls_itself_like_another_token_is_quoted(house: House) -> None:
    assert "yours" in await house.call("ada", "take_phone", client="bob", slug="left")
    said = await house.call("owner", "press_home", device="left")
    assert 'ada, which calls itself "bob" (token ada)' in said


async def test_a_token_for_one_phone_sees_no_other(house: House) -> None:
    house.add("narrow", phones=("left",))
    await house.take("bob", slug="right")
    asked: dict[str, Any] = {"name": "android_left_list_phones", "arguments": {}}
    result = await house.ask("narrow", "tools/call", **asked)
    assert [row["phone"] for row in rows(result["content"][0]["text"])] == ["left"]
    asked = {"name": "android_left_take_phone", "arguments": {"slug": "right"}}
    said = (await house.ask("narrow", "tools/call", **asked))["content"][0]["text"]
    assert said.startswith("No phone here fits the name 'right'.")
    assert "bob" not in said


@pytest.mark.at_host("a gateway, which lists phones by itself, has no record")
async def test_calls_are_recorded_as_the_calls_that_they_are(house: House) -> None:
    await house.take("ada", slug="left")
    await house.call("ada", "give_back_phone")
    await house.call("bob", "list_phones")
    found = [(entry.tool, entry.token) for entry in house.log.entries(limit=3)]
    assert sorted(found) == [
        ("give_back_phone", "ada"),
        ("list_phones", "bob"),
        ("take_phone", "ada"),
    ]


async def test_the_phone_goes_home_before_it_is_free(house: House) -> None:
    """`fleet.reset`"""
    await house.take("ada", slug="left")
    opened = await house.call("ada", "open_app", package_id="com.android.settings")
    assert opened.startswith("App opened")
    assert await house.call("ada", "give_back_phone") == "left is given back."
    screen = await house.call("bob", "get_screen_state", device="left")
    assert "com.android.settings" not in screen.split("\n")[0]


async def test_a_phone_that_its_owner_uses_is_not_cleaned_up(house: House) -> None:
    await house.take("ada", slug="left")
    house.takeover.take(("left", SERIALS[0]))
    assert await house.call("ada", "give_back_phone") == "left is given back."
    house.takeover.resume((ALL,))
    await until(lambda: all(row.state == "ready" for row in house.rows()))
    said = await house.call("bob", "take_phone", slug="left")
    assert said.endswith("\nIt was not cleaned up before: Its owner had taken it over.")


async def test_v1_and_messages_keep_off_a_leased_phone_too(house: House) -> None:
    await house.take("ada", slug="left")
    headers = {"Authorization": f"Bearer {house.secrets['bob']}"}
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "press_home", "arguments": {}},
    }
    answer = await house.http.post("/phones/left/mcp/v1/tools/call", json=body, headers=headers)
    assert "left is leased to token ada" in answer.text
    body["params"] = {"name": "get_sms_subscriptions", "arguments": {}}
    url = house.sms.replace("/mcp", "/phones/left/mcp")
    answer = await house.http.post(url, json=body, headers=headers)
    assert "left is leased to token ada" in answer.text


@pytest.mark.slow
async def test_two_takers_at_once_get_two_phones(house: House) -> None:
    one, other = await asyncio.gather(house.take("ada"), house.take("bob"))
    assert {one["phone"], other["phone"]} == {"left", "right"}
