"""Our answers are the SDK's: the same requests, sent to both ways, get the same replies.

`make both-ways` does the same with a hundred thousand requests.
"""

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import jsonrpc, methods, version

from handheld.server import versions
from handheld.server.envelope import parse
from handheld.server.recognition import is_common

from .both_ways import converse, open_pair
from .little import HELLO, call, request
from .mutations import (
    METHODS,
    READY,
    conversation,
    encode,
    is_modern,
    mutate,
    recorded,
    usual,
)

POSTS = 8
"""Requests in one example: opening the SDK's server takes as long as some of them."""


def test_the_versions_are_those_of_the_sdk() -> None:
    assert version.HANDSHAKE_PROTOCOL_VERSIONS == versions.HANDSHAKE
    assert version.MODERN_PROTOCOL_VERSIONS == (versions.MODERN,)
    assert jsonrpc.MISSING_REQUIRED_CLIENT_CAPABILITY == versions.MISSING_CLIENT_CAPABILITY
    assert jsonrpc.UNSUPPORTED_PROTOCOL_VERSION == versions.UNSUPPORTED_PROTOCOL_VERSION


def test_the_changed_requests_have_every_method_of_the_protocol_that_clients_may_try() -> None:
    assert {"initialize", "tools/call", "subscriptions/listen"} <= methods.SPEC_CLIENT_METHODS
    assert len(methods.SPEC_CLIENT_METHODS & set(METHODS)) >= 10


def test_usual_requests_are_answered_without_the_sdk() -> None:
    here = {"initialize", "tools/list", "tools/call"}
    for post in usual():
        message, modern = parse(post.body), is_modern(post)
        served = here | ({"server/discover"} if modern else {"ping"})
        assert is_common(message, modern) == (message.id is None or message.method in served)


async def test_both_ways_reply_the_same_to_what_clients_send() -> None:
    async with open_pair() as pair:
        for post in (*usual(), *recorded()):
            ours, theirs = await pair.ask(post)
            assert ours == theirs, post


async def test_the_sms_surface_replies_the_same_bytes_both_ways() -> None:
    async with open_pair(sms=True) as pair:
        for post in (post for post in usual() if post.path == "/mcp"):
            ours, theirs = await pair.ask(post)
            assert ours == theirs, post
            if not is_modern(post):
                assert ours.raw == theirs.raw, post


@given(st.randoms(use_true_random=False))
def test_both_ways_reply_the_same_to_changed_requests(chance: random.Random) -> None:
    base = (*usual(), *recorded())

    async def compare() -> None:
        async with open_pair() as pair:
            for _ in range(POSTS):
                post = mutate(chance.choice(base), chance)
                ours, theirs = await pair.ask(post)
                assert ours == theirs, post

    asyncio.run(compare())


@given(st.randoms(use_true_random=False))
def test_both_ways_say_the_same_over_stdio(chance: random.Random) -> None:
    """A client that goes between what is answered here and what the SDK answers meets one server:
    the SDK knows of its handshake."""
    lines = conversation(chance)

    async def compare() -> None:
        assert await converse(lines, ours=True) == await converse(lines, ours=False), lines

    asyncio.run(compare())


@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "2026"])
async def test_the_sdk_knows_of_the_handshake_that_was_answered_without_it(modern: bool) -> None:
    """A client whose session began here gets its unusual call served by the SDK under its name."""
    unusual = call("echo", modern=modern)
    unusual["params"]["requestState"] = "x"
    opening = [] if modern else [request("initialize", HELLO), READY]
    lines = [encode(body) for body in (*opening, call("echo", modern=modern), unusual)]
    ours = await converse(lines, ours=True)
    assert f"client='{'new' if modern else 'old'} client'" in str(ours[-1]["result"]["content"])
    assert ours == await converse(lines, ours=False)


async def test_a_client_that_says_it_is_ready_without_a_handshake_is_served_alike() -> None:
    """The SDK is told of it though it is loaded later."""
    lines = [encode(request("ping")), encode(READY), encode(call("echo", {"x": 1}))]
    ours = await converse(lines, ours=True)
    assert "result" in ours[-1]
    assert ours == await converse(lines, ours=False)
