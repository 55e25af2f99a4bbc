"""What `make chaos` takes for a violation by its hostile client."""

import json
from collections import Counter

import pytest
from chaos.calls import Outcome
from chaos.hostile import (
    DONE_AND_NOT,
    INVALID_HTTP,
    REFUSED_AND_DONE,
    Arms,
    Attack,
    Mark,
    Tally,
    read_answer,
    read_reply,
    split,
)

from server.both_ways import Post

TAP: Mark = ("down", "300,370")


def attack(mark: Mark = TAP) -> Attack:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "tap"}}
    return Attack(Post((), json.dumps(message).encode()), (mark,))


@pytest.mark.parametrize(
    ("outcome", "times", "found"),
    [
        (Outcome.DONE, 1, []),
        (Outcome.DONE, 0, [DONE_AND_NOT]),
        (Outcome.DONE, 2, [REFUSED_AND_DONE]),
        (Outcome.REFUSED, 0, []),
        (Outcome.REFUSED, 1, [REFUSED_AND_DONE]),
        (Outcome.FAILED, 1, [REFUSED_AND_DONE]),
        (Outcome.UNKNOWN, 0, []),
        (Outcome.UNKNOWN, 1, []),
        (Outcome.LEFT, 1, []),
    ],
)
def test_reply_is_compared_with_what_the_phone_noted(
    outcome: Outcome, times: int, found: list[str]
) -> None:
    tally = Tally()
    tally.note(attack(), attack().post.body, outcome)
    assert [one.kind for one in tally.check(Counter({TAP: times} if times else {}))] == found


def test_a_changed_call_may_do_something_else_once() -> None:
    tally = Tally()
    tally.note(attack(("sms", "h1")), b'{"method": "tools/call"}', Outcome.DONE)
    assert tally.check(Counter({("sms", "other"): 1})) == []
    assert [one.kind for one in tally.check(Counter({("sms", "other"): 2}))] == [REFUSED_AND_DONE]


def test_what_others_asked_for_is_not_its() -> None:
    theirs, rest = split(Counter({TAP: 1, ("sms", "w1"): 2}), [TAP, ("down", "1,1")])
    assert (theirs, rest) == (Counter({TAP: 1}), Counter({("sms", "w1"): 2}))


@pytest.mark.parametrize(
    ("status", "kind", "body", "outcome"),
    [
        (200, "application/json", b'{"jsonrpc":"2.0","id":1,"result":{}}', Outcome.DONE),
        (
            200,
            "application/json",
            b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
            Outcome.REFUSED,
        ),
        (404, "application/json", b'{"error":"not_found","message":"x"}', Outcome.REFUSED),
        (202, "", b"", Outcome.REFUSED),
        (400, "text/plain", INVALID_HTTP, Outcome.REFUSED),
        (
            200,
            "text/event-stream",
            b'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n',
            Outcome.DONE,
        ),
    ],
)
def test_reply_is_read(status: int, kind: str, body: bytes, outcome: Outcome) -> None:
    assert read_reply(status, kind, body) is outcome


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (500, "text/plain", b"Internal Server Error"),
        (200, "application/json", b'{"id":1,"result":{}}'),
        (200, "application/json", b'{"jsonrpc":"2.0","id":1}'),
        (200, "application/json", b'{"jsonrpc":"2.0","result":{}}'),
        (200, "application/json", b'[{"jsonrpc":"2.0","id":1,"result":{}}]'),
        (200, "application/json", b'{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"y"}}'),
        (200, "application/json", b'{"error":"not_found","message":"x"}'),
        (404, "application/json", b'{"error":"not_found"}'),
        (200, "application/json", b"{"),
    ],
)
def test_reply_that_is_no_json_rpc_is_found(status: int, kind: str, body: bytes) -> None:
    with pytest.raises((ValueError, KeyError)):
        read_reply(status, kind, body)


def test_a_notification_is_no_answer() -> None:
    assert read_answer({"jsonrpc": "2.0", "method": "notifications/progress"}) is None


def test_no_change_makes_the_mark_of_another_call() -> None:
    """Else what one call did would count for another."""
    arms = Arms("four", "one", 0, 1, writes=True)
    attacks = [arms.draw() for _ in range(2000)]
    words = {mark[1] for each in attacks for mark in each.marks if mark[0] == "sms"}
    for each in attacks:
        changed = arms.change(each.post).body.decode("latin-1")
        own = {mark[1] for mark in each.marks}
        assert not {word for word in words - own if word in changed}
