"""What clients call themselves: nobody takes them for a person or for another token."""

import pytest

from handheld.access.names import is_reserved, shown_caller, skeleton
from handheld.tools.call import Caller

TOKENS = ["laptop", "family.phone", "m1"]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "You",
            "you",
            " YOU ",
            "Y\u200bou",
            "\u202eYou",
            "Y\u00a0o u",
            "Ｙｏｕ",
            "𝗬𝗼𝘂",
            "Υου",
            "Уоu",
        ),
        *(
            "yоu",
            "ʏᴏᴜ",
            "Y\u0301ou",
            "y0u",
            "You.",
            "«You»",
            "You (a person)",
            "You\x00",
            "y\u3164ou",
        ),
        *("Owner", "a person", "A  Person (owner)", "Ann (a person)", "0wner"),
        *("laptop", "LAPTOP", "Iaptop", "1aptop", "laptop: trusted", "lарtор", "l a p t o p"),
        *("family.phone", "family phone", "rn1", "laptop, which calls itself"),
    ],
)
def test_a_client_that_takes_the_name_of_another_is_quoted_with_its_token(name: str) -> None:
    assert shown_caller(Caller("http", name, "guest"), TOKENS).client == (
        f'guest, which calls itself "{name}"'
    )
    for token in ("", "owner"):
        caller = Caller("http", "You", token)
        assert shown_caller(caller, TOKENS).client == 'a client, which calls itself "You"'


@pytest.mark.parametrize(
    "name", ["", "Claude", "YouTube agent", "laptops", "my laptop", "guest", "Guest 2", "ユー", "m"]
)
def test_every_other_name_stays(name: str) -> None:
    caller = Caller("http", name, "guest")
    assert shown_caller(caller, ["guest", *TOKENS]) is caller


def test_a_client_may_have_the_name_of_its_own_token() -> None:
    for token in ("laptop", "owner"):
        caller = Caller("http", token, token)
        assert shown_caller(caller, TOKENS) is caller


def test_a_name_that_was_quoted_stays_as_it_is_when_it_is_passed_on() -> None:
    once = shown_caller(Caller("stdio", "You"), TOKENS)
    assert shown_caller(once._replace(token="owner"), TOKENS).client == once.client


@pytest.mark.parametrize(
    ("name", "reserved"),
    [
        ("you", True),
        ("y0u", True),
        ("owner", True),
        ("0wner", True),
        ("your", False),
        ("me", False),
    ],
)
def test_no_token_may_be_called_like_a_person(name: str, reserved: bool) -> None:
    assert is_reserved(name) == reserved


def test_what_looks_alike_is_alike() -> None:
    assert skeleton("Iаptор") == skeleton("laptop") != skeleton("desktop")


@pytest.mark.parametrize("name", ["oauth:alice@login.example.com", "OAuth:alice", "0auth alice"])
def test_a_client_that_calls_itself_like_a_caller_with_an_access_token_is_quoted(name: str) -> None:
    shown = shown_caller(Caller("http", name, "reader"), ["reader"])
    assert shown.client == f'reader, which calls itself "{name}"'
