"""The command `query`."""

import json
from typing import Any

import pytest

from .conftest import Stage
from .host import Answer, Host

SMS: dict[str, Any] = {
    "uri": "content://sms",
    "columns": ["_id", "address", "body"],
    "where": None,
    "arguments": [],
    "sort": "date DESC",
    "limit": 10,
}
NOWHERE = {"more": False, "zone": "GMT", "offset_s": 0}


def store(stage: Stage, *texts: str) -> None:
    for number, text in enumerate(texts):
        stage.world.telephony.store(f"+3630111223{number}", text, date=number)


def rows(answer: Answer) -> list[Any]:
    return json.loads(answer.data)["rows"]


async def test_rows_are_read_with_bound_arguments(stage: Stage, host: Host) -> None:
    store(stage, "a", "it's \n Row: 1 _id=7", "c")
    answer = await host.do("query", SMS)
    assert answer.reply == NOWHERE
    assert rows(answer) == [
        [3, "+36301112232", "c"],
        [2, "+36301112231", "it's \n Row: 1 _id=7"],
        [1, "+36301112230", "a"],
    ]
    bound = {"where": "address LIKE ? AND body != ?", "arguments": ["%1223_", "' OR 1=1 --"]}
    answer = await host.do("query", {**SMS, **bound, "sort": None})
    assert len(rows(answer)) == 3
    bound = {"where": "body = ?", "arguments": ["it's \n Row: 1 _id=7"]}
    assert len(rows(await host.do("query", {**SMS, **bound}))) == 1


async def test_rows_over_the_limit_are_told(stage: Stage, host: Host) -> None:
    store(stage, "a", "b", "c")
    answer = await host.do("query", {**SMS, "limit": 2})
    assert answer.reply == {**NOWHERE, "more": True}
    assert [row[2] for row in rows(answer)] == ["c", "b"]
    assert (await host.do("query", {**SMS, "limit": 3})).reply == NOWHERE


async def test_long_texts_are_cut_and_many_are_too_much(stage: Stage, host: Host) -> None:
    store(stage, "x" * 4999 + "😀", "ő" * 6000)
    answer = await host.do("query", SMS)
    assert [row[2] for row in rows(answer)] == ["ő" * 5000, "x" * 4999]
    for _ in range(400):
        stage.world.telephony.store("+1", "y" * 5000, date=9)
    answer = await host.do("query", {**SMS, "columns": ["_id", "body"], "limit": 1000})
    assert (len(rows(answer)), answer.value["more"]) == (400, True)


async def test_empty_cells_are_null(stage: Stage, host: Host) -> None:
    store(stage, "a")
    answer = await host.do("query", {**SMS, "columns": ["subject", "type", "body"]})
    assert rows(answer) == [[None, 1, "a"]]


async def test_refusals_have_a_code_each(stage: Stage, host: Host) -> None:
    stage.world.shell_revoked.add("READ_CALL_LOG")
    calls = {**SMS, "uri": "content://call_log/calls", "columns": ["_id"], "sort": None}
    answer = await host.do("query", calls)
    assert answer.failure == ("app_refused", "no")
    assert "requires android.permission.READ_CALL_LOG" in answer.value["message"]
    answer = await host.do("query", {**SMS, "uri": "content://nothing/here"})
    assert answer.failure == ("no_component", "no")
    store(stage, "a")
    answer = await host.do("query", {**SMS, "columns": ["colour"]})
    assert answer.failure == ("app_threw", "no")


async def test_a_provider_that_hangs_is_left_at_the_end_of_the_budget(
    stage: Stage, host: Host
) -> None:
    stage.world.media.hangs = True
    media = {**SMS, "uri": "content://media/external/file", "columns": ["_id"], "sort": None}
    waiting = await host.call("query", media, budget_ms=1000)
    await host.advance(1000)
    assert (await host.answer(waiting)).failure == ("out_of_time", "no")


@pytest.mark.parametrize(
    "wrong",
    [
        {"uri": "file:///etc/passwd"},
        {"uri": None},
        {"columns": []},
        {"columns": ["a"] * 21},
        {"columns": [1]},
        {"columns": "a"},
        {"where": 1},
        {"sort": ["a"]},
        {"arguments": None},
        {"arguments": [None]},
        {"limit": 0},
        {"limit": 20_001},
        {"limit": 1.5},
        {"limit": True},
        {"more": 1},
    ],
)
async def test_other_queries_are_refused(host: Host, wrong: dict[str, Any]) -> None:
    assert (await host.do("query", {**SMS, **wrong})).failure == ("bad_call", "no")
