"""Keys, credentials and frames."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.fleet.nats.credentials import (
    BadCredential,
    admin_credential,
    member_credential,
    read_user,
)
from handheld.fleet.nats.frames import LARGEST, LARGEST_HEAD, BadFrame, NatsFrame
from handheld.fleet.nats.names import is_member_id, is_phone_id, member_id, phone_id
from handheld.fleet.nats.nkeys import ACCOUNT, USER, BadKey, KeyPair, check_public, verify

SEED = "SUAMLK2ZNL35WSMW37E7UD4VZ7ELPKW7DHC3BWBSD2GCZ7IUQQXZIORRBU"
PUBLIC = "UCK5N7N66OBOINFXAYC2ACJQYFSOD4VYNU6APEJTAVFZB2SVHLKGEW7L"
"""A pair from the documents of NATS's own library."""


def test_a_key_of_natss_own_library_is_read() -> None:
    assert KeyPair.from_seed(SEED).public == PUBLIC
    assert KeyPair.from_seed(SEED).seed == SEED


def test_a_key_signs_and_is_verified() -> None:
    pair = KeyPair.make(USER)
    assert KeyPair.from_seed(pair.seed).public == pair.public
    signature = pair.sign(b"nonce")
    assert verify(pair.public, USER, b"nonce", signature)
    assert not verify(pair.public, USER, b"other", signature)


@pytest.mark.parametrize(
    "text", ["", "U", PUBLIC[:-1], PUBLIC[:-1] + "A", PUBLIC.lower(), "ü" * 56, "A" * 5000, SEED]
)
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(BadKey):
        check_public(text, USER)
    with pytest.raises(BadKey):
        check_public(KeyPair.make(ACCOUNT).public, USER)


def test_neither_seed_nor_secret_is_in_a_repr() -> None:
    pair = KeyPair.from_seed(SEED)
    assert SEED not in repr(pair)
    assert repr(pair.secret) not in repr(pair)


def test_a_credential_says_for_whom_it_is() -> None:
    account, signer, user = KeyPair.make(ACCOUNT), KeyPair.make(ACCOUNT), KeyPair.make(USER)
    text = member_credential(signer, account.public, user.public, "h1", 5, 60)
    said = read_user(text)
    assert (said.account, said.signer) == (account.public, signer.public)
    assert (said.public, said.name) == (user.public, "h1")
    assert read_user(admin_credential(account, user.public, 5, 60)).account == account.public


def test_a_credential_that_was_changed_is_refused() -> None:
    account, user = KeyPair.make(ACCOUNT), KeyPair.make(USER)
    text = admin_credential(account, user.public, 5, 60)
    head, body, signature = text.split(".")
    other = admin_credential(account, KeyPair.make(USER).public, 5, 60).split(".")[1]
    for changed in (
        f"{head}.{other}.{signature}",
        f"{head}.{body}",
        f"{body}.{body}.{signature}",
        f"{head}.{body}.",
        f"{head}.{body}.{signature[:-4]}",
        "..",
        "",
        "a.b.c",
        "A" * 70_000,
    ):
        with pytest.raises(BadCredential):
            read_user(changed)


def test_ids_can_be_words_of_a_subject() -> None:
    assert is_member_id(member_id("host", PUBLIC))
    assert member_id("gateway", PUBLIC)[1:] == member_id("host", PUBLIC)[1:]
    for serial in ("R58M123ABC", "192.168.1.20:5555", "emulator-5554", "", "\ud800 ü"):
        assert is_phone_id(phone_id(serial))
    assert not is_member_id("h*")
    assert not is_phone_id("p>")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), JSON, max_size=5), st.binary(max_size=2000))
def test_a_frame_is_read_as_it_was_written(head: dict[str, object], raw: bytes) -> None:
    assert NatsFrame.decode(NatsFrame(head, raw).encode()) == NatsFrame(head, raw)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_refused(data: bytes) -> None:
    with contextlib.suppress(BadFrame):
        NatsFrame.decode(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0\0\0",
        b"\0\0\0\x05{}",
        b"\xff\xff\xff\xff{}",
        b"\0\0\0\x02[]",
        b'\0\0\0\x09{"a":NaN}',
        b"\0\0\0\x02\xff\xff",
        (100_000).to_bytes(4, "big") + b"[" * 100_000,
        b"\0\0\0\x02{}" + bytes(LARGEST),
    ],
)
def test_what_is_no_frame_is_refused(data: bytes) -> None:
    with pytest.raises(BadFrame):
        NatsFrame.decode(data)


def test_a_frame_that_is_too_large_is_not_sent() -> None:
    with pytest.raises(BadFrame):
        NatsFrame({"a": "x" * LARGEST_HEAD}).encode()
    with pytest.raises(BadFrame):
        NatsFrame({}, bytes(LARGEST)).encode()
    NatsFrame({}, bytes(LARGEST - 6)).encode()
