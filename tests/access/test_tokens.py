"""The named tokens and their file."""

import json
import logging
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.access.request_scope import EVERYTHING, RequestScope
from handheld.access.tokens import (
    MOST_TOKENS,
    OWNERS_TOKEN,
    AccessToken,
    Tokens,
    TokensError,
    read_expiry,
    toolset_names,
)
from harness.manual_clock import ManualClock
from harness.polling import HANG

NOW = 1_800_000_000.0
HOUR = 3600.0
DAY = 24 * HOUR


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "tokens.json"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def tokens(file: Path, clock: ManualClock) -> Tokens:
    return Tokens(file, clock=clock)


def test_a_token_is_recognised_by_its_secret_alone(tokens: Tokens) -> None:
    reader = tokens.make("reader", ["files", "sms"], ["desk"], True, NOW + DAY)
    writer = tokens.make("writer")
    assert tokens.recognise(reader) == AccessToken(
        "reader", ("files", "sms"), ("desk",), True, NOW, NOW + DAY
    )
    assert tokens.recognise(writer) == AccessToken("writer", made=NOW)
    assert [one.name for one in tokens.all()] == ["reader", "writer"]
    for other in ("", "reader", reader[:-1], f"{reader} ", reader.upper(), "\udcff", "é" * 9000):
        assert tokens.recognise(other) is None


def test_secrets_are_long_differ_and_are_kept_nowhere(tokens: Tokens, file: Path) -> None:
    secrets = [tokens.make(f"t{number}") for number in range(5)]
    assert len(set(secrets)) == 5
    assert {(len(secret), secret[:3]) for secret in secrets} == {(46, "hh_")}
    kept = file.read_text(encoding="utf-8")
    assert not any(secret in kept or secret[3:] in kept for secret in secrets)
    stored = json.loads(kept)["tokens"]
    assert len({one["salt"] for one in stored}) == len({one["sha256"] for one in stored}) == 5
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_token_counts_until_it_ends(tokens: Tokens, clock: ManualClock) -> None:
    secret = tokens.make("short", expires=NOW + HOUR)
    clock.set_time(NOW + HOUR - 0.001)
    assert tokens.recognise(secret) is not None
    clock.set_time(NOW + HOUR)
    assert tokens.recognise(secret) is None
    assert [one.name for one in tokens.all()] == ["short"]


@pytest.mark.parametrize(
    ("left", "near", "ended"),
    [(None, False, False), (8 * DAY, False, False), (DAY, True, False), (0, False, True)],
)
def test_a_token_knows_whether_it_expires_soon(left: float | None, near: bool, ended: bool) -> None:
    token = AccessToken("t", expires=None if left is None else NOW + left)
    assert (token.near_end(NOW), token.ended(NOW)) == (near, ended)


def test_a_revoked_token_is_unknown_to_running_processes(
    tokens: Tokens, file: Path, clock: ManualClock
) -> None:
    server = Tokens(file, clock=clock)
    secret, kept = tokens.make("gone"), tokens.make("kept")
    assert (server.recognise(secret), server.recognise(kept)) == (
        AccessToken("gone", made=NOW),
        AccessToken("kept", made=NOW),
    )
    tokens.revoke("gone")
    assert (server.recognise(secret), server.recognise(kept)) == (
        None,
        AccessToken("kept", made=NOW),
    )
    again = tokens.make("gone")
    assert server.recognise(secret) is None
    assert server.recognise(again) == AccessToken("gone", made=NOW)
    file.unlink()
    assert server.recognise(again) is None


def test_of_many_that_make_tokens_at_once_none_loses_its_own(file: Path) -> None:
    made: dict[str, str] = {}

    def make(name: str) -> None:
        made[name] = Tokens(file).make(name)

    threads = [threading.Thread(target=make, args=(f"t{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG)
    tokens = Tokens(file)
    found = {name: tokens.recognise(secret) for name, secret in made.items()}
    assert {name: one and one.name for name, one in found.items()} == {
        f"t{number}": f"t{number}" for number in range(8)
    }


@pytest.mark.parametrize("name", ["", "Upper", "two words", "-x", "é", "a" * 33, "x/y", "x\n"])
def test_a_name_that_is_none_is_refused(tokens: Tokens, name: str) -> None:
    with pytest.raises(TokensError, match="cannot be the name of a token"):
        tokens.make(name)
    assert tokens.all() == []


def test_what_a_token_cannot_be_is_refused_with_the_reason(tokens: Tokens) -> None:
    tokens.make("one")
    for wrong, sentence in (
        (lambda: tokens.make("one"), "There is a token called one already."),
        (lambda: tokens.make("owner"), "owner is the token that the server starts with"),
        (lambda: tokens.make("you"), "you reads like the name of a person"),
        (lambda: tokens.make("0wner"), "0wner reads like the name of a person"),
        (lambda: tokens.make("t", ["file"]), "There is no toolset 'file'. There are: screen, "),
        (lambda: tokens.make("t", (), ["a,b"]), "'a,b' is not a phone"),
        (lambda: tokens.make("t", (), [""]), "'' is not a phone"),
        (lambda: tokens.make("t", (), list(map(str, range(51)))), "at most 50 phones"),
        (lambda: tokens.make("t", expires=NOW), "A token cannot expire before"),
        (lambda: tokens.make("t", expires=float("nan")), "A token cannot expire before"),
        (lambda: tokens.make("t", expires=float("inf")), "A token cannot expire before"),
        (lambda: tokens.revoke("two"), "There is no token called 'two'. There are: one."),
    ):
        with pytest.raises(TokensError) as refused:
            wrong()
        assert sentence in str(refused.value)
    assert [one.name for one in tokens.all()] == ["one"]


@pytest.mark.slow
def test_there_is_an_end_to_how_many_are_made(tokens: Tokens) -> None:
    for number in range(MOST_TOKENS):
        tokens.make(f"t{number}")
    with pytest.raises(TokensError, match="There are 100 tokens already: revoke one first"):
        tokens.make("more")
    tokens.revoke("t7")
    assert tokens.recognise(tokens.make("more")) == AccessToken("more", made=NOW)


def test_the_toolsets_are_those_of_the_catalogue_and_of_app_tools() -> None:
    assert toolset_names() == (
        *("screen", "system", "touch", "gesture", "element", "text", "utility", "files", "apps"),
        *("sms", "notifications", "links", "intents", "packages", "device", "diagnostics"),
        *("web", "web_scripts", "recording", "personal", "camera", "fleet", "app_tools"),
    )


@pytest.mark.parametrize(
    ("token", "scope"),
    [
        (OWNERS_TOKEN, EVERYTHING),
        (AccessToken("t", read_only=True), RequestScope(read_only=True)),
        (AccessToken("t", ("sms",)), RequestScope(toolsets=frozenset({"sms"}))),
        (AccessToken("t", phones=("a",)), RequestScope("a", phones=frozenset({"a"}))),
        (AccessToken("t", phones=("a", "b")), RequestScope(phones=frozenset({"a", "b"}))),
    ],
)
def test_a_token_makes_a_scope_of_its_limits(token: AccessToken, scope: RequestScope) -> None:
    assert token.scope == scope


def test_a_request_cannot_widen_what_a_token_leaves() -> None:
    token = RequestScope("a", True, toolsets=frozenset({"sms"}), phones=frozenset({"a"}))
    assert RequestScope("b", only=frozenset({"tap"})).within(token) == RequestScope(
        "b", True, frozenset({"tap"}), toolsets=frozenset({"sms"}), phones=frozenset({"a"})
    )
    assert EVERYTHING.within(token) == token
    wider = replace(EVERYTHING, toolsets=frozenset({"sms", "touch"}))
    assert wider.within(token).toolsets == frozenset({"sms"})


DAMAGE = [
    b"",
    b"{}",
    b"[]",
    b'{"tokens": [{}]}',
    b'{"tokens": {"name": "x"}}',
    b"\xff",
    b"[" * 5000,
]


@pytest.mark.parametrize("content", DAMAGE)
def test_a_damaged_token_file_accepts_no_token_and_is_logged_once(
    tokens: Tokens, file: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    secret = tokens.make("one")
    file.write_bytes(content)
    with caplog.at_level(logging.ERROR):
        assert (tokens.recognise(secret), tokens.recognise(secret)) == (None, None)
    assert [record.getMessage() for record in caplog.records] == [
        f"No named token is recognised: {file} is damaged, so no named token is known. Delete"
        " it and make the tokens anew."
    ]
    with pytest.raises(TokensError, match="is damaged"):
        tokens.all()
    with pytest.raises(TokensError, match="is damaged"):
        tokens.make("two")
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", 1),
        ("toolsets", None),
        ("toolsets", "files"),
        ("toolsets", [1]),
        ("phones", {}),
        ("read_only", "yes"),
        ("read_only", None),
        ("expires", "never"),
        ("expires", float("nan")),
        ("made", None),
        ("salt", ""),
        ("salt", "zz"),
        ("sha256", "00"),
    ],
)
def test_a_limit_that_cannot_be_read_is_not_taken_for_none(
    tokens: Tokens, file: Path, key: str, value: object
) -> None:
    secret = tokens.make("one", ["files"], ["desk"], True, NOW + DAY)
    stored = json.loads(file.read_text(encoding="utf-8"))
    stored["tokens"][0][key] = value
    file.write_text(json.dumps(stored), encoding="utf-8")
    assert tokens.recognise(secret) is None
    with pytest.raises(TokensError, match="is damaged"):
        tokens.all()


def test_a_file_that_grew_too_large_is_not_read(tokens: Tokens, file: Path) -> None:
    secret = tokens.make("one")
    with file.open("ab") as stream:
        stream.write(b" " * 1024 * 1024)
    assert tokens.recognise(secret) is None


@pytest.mark.parametrize(
    ("text", "seconds"), [("1h", HOUR), ("30d", 30 * DAY), (" 4w ", 28 * DAY), ("99999h", None)]
)
def test_a_span_is_counted_from_now(text: str, seconds: float | None) -> None:
    assert read_expiry(text, NOW) == NOW + (99999 * HOUR if seconds is None else seconds)


def test_a_day_counts_to_its_end() -> None:
    assert datetime.fromtimestamp(read_expiry("2030-12-31", NOW), UTC).astimezone().replace(
        tzinfo=None
    ) == datetime.fromisoformat("2031-01-01T00:00")


@pytest.mark.parametrize(
    "text", ["", "0d", "d", "1 d", "1m", "-1d", "123456d", "2030-13-01", "20301231", "9999-12-31"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(TokensError, match="is not an end time"):
        read_expiry(text, NOW)


@given(st.text(max_size=30))
def test_any_text_is_a_future_time_or_rejected(text: str) -> None:
    try:
        found = read_expiry(text, NOW)
    except TokensError:
        return
    assert isinstance(found, float)
