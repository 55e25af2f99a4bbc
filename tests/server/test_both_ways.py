"""The SDK is the judge of our answers: the same requests get the same replies.

`make fuzz WHAT=both-ways` does the same with a hundred thousand requests.
"""

import asyncio
import random

from hypothesis import given
from hypothesis import strategies as st
from mcp_types import jsonrpc, methods, version

from handheld.server import versions
from handheld.server.envelope import parse

from .both_ways import agree, conversation_differs, open_pair
from .little import call, request
from .mutations import METHODS, READY, conversation, encode, mutate, recorded, usual

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


async def test_the_sdk_replies_the_same_to_what_clients_send() -> None:
    async with open_pair() as pair:
        for post in (*usual(), *recorded()):
            assert await pair.differ(post) is None, post


@given(st.randoms(use_true_random=False))
def test_the_sdk_replies_the_same_to_changed_requests(chance: random.Random) -> None:
    base = (*usual(), *recorded())

    async def compare() -> None:
        async with open_pair() as pair:
            for _ in range(POSTS):
                post = mutate(chance.choice(base), chance)
                assert await pair.differ(post) is None, post

    asyncio.run(compare())


@given(st.randoms(use_true_random=False))
def test_the_sdk_says_the_same_over_stdio(chance: random.Random) -> None:
    lines = conversation(chance)

    async def compare() -> None:
        assert await conversation_differs(lines) is None, lines

    asyncio.run(compare())


async def test_the_judge_finds_a_difference() -> None:
    async with open_pair() as pair:
        post = next(post for post in usual() if b'"echo"' in post.body)
        assert await pair.differ(post) is None
        message = parse(post.body)
        ours, theirs = await pair.ask(post)
        assert theirs is not None
        refused = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "No."}}
        assert not agree(message, refused, theirs.body)
        assert not agree(message, ours.body, refused)
        assert not agree(message, {**ours.body, "result": {}}, theirs.body)


async def test_a_client_that_says_it_is_ready_without_a_handshake_is_not_initialized() -> None:
    lines = [encode(request("ping")), encode(READY), encode(call("echo", {"x": 1}))]
    assert await conversation_differs(lines) is None
