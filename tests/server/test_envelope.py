"""Parsing of messages and host names."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.server.envelope import (
    MAX_VALUES,
    HalfPair,
    Refused,
    dump,
    parse,
)
from handheld.server.hosts import HostCheck, host_name
from handheld.server.text import cut, fix_json, has_half_pair

ids = st.integers() | st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.binary())
def test_any_bytes_are_parsed_or_refused_with_a_valid_answer(raw: bytes) -> None:
    try:
        parse(raw)
    except Refused as refused:
        answer = refused.answer()
    else:
        return
    assert json.loads(dump(answer))["error"]["message"].endswith(".")


@pytest.mark.parametrize("number", ["1e999", "-1e400", "NaN", "Infinity"])
def test_a_number_too_large_for_a_float_is_refused(number: str) -> None:
    # It would be written as invalid JSON, which makes the record unreadable.
    raw = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"x":0}}}'
    parse(raw.encode())
    with pytest.raises(Refused):
        parse(raw.replace("0}", f"{number}}}").encode())


def arguments_of(text: str) -> bytes:
    head = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":'
    return f'{head}{{"a":{text}}}}}}}'.encode()


@pytest.mark.parametrize("value", ["[]", "1", '"a"', '"\\\\"', '{"a":1}'])
def test_too_many_values_are_refused_before_parsing(value: str) -> None:
    # Sixteen megabytes of them would block every other call for most of a minute.
    many = ",".join([value] * (MAX_VALUES * 2))
    with pytest.raises(Refused, match=r"more than 100000 values"):
        parse(arguments_of(f"[{many}]"))


@pytest.mark.parametrize("text", ['say "this", [or] {that}\n', "\\,", '",'])
def test_separators_inside_a_text_do_not_count_as_values(text: str) -> None:
    message = parse(arguments_of(json.dumps(text * MAX_VALUES)))
    assert message.params["arguments"] == {"a": text * MAX_VALUES}


@given(values)
def test_any_json_is_parsed_or_refused(value: Any) -> None:
    try:
        parse(json.dumps(value).encode())
    except Refused as refused:
        dump(refused.answer())


@given(ids, st.dictionaries(st.text(), values))
def test_arguments_are_accepted_unless_they_hold_a_lone_surrogate(
    id: Any, arguments: dict[str, Any]
) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": id,
        "method": "tools/call",
        "params": {"name": "x", "arguments": arguments},
    }
    raw = json.dumps(body).encode()
    # Two adjacent halves are one character once they are encoded.
    if has_half_pair(json.loads(raw)):
        with pytest.raises(HalfPair):
            parse(raw)
    else:
        assert parse(raw).body == json.loads(raw)


@given(values)
def test_repaired_text_can_always_be_encoded(value: Any) -> None:
    dump({"value": fix_json(value)})
    if not has_half_pair(value):
        assert fix_json(value) == value


def test_matching_surrogates_are_joined() -> None:
    assert fix_json("\ud83d\ude00 \ude00\ud83d") == "\U0001f600 \ufffd\ufffd"


def test_echoed_text_is_shortened() -> None:
    assert (cut("a" * 100), cut("a" * 101)) == ("a" * 100, "a" * 99 + "…")


def test_depth_is_limited_and_width_is_not() -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"a": [[]] * 500}}
    assert parse(json.dumps(body).encode()).id == 1
    deep: Any = 1
    for _ in range(98):
        deep = [deep]
    parse(json.dumps({**body, "params": {"a": deep}}).encode())
    with pytest.raises(Refused, match="100 levels deep"):
        parse(json.dumps({**body, "params": {"a": [deep]}}).encode())


@pytest.mark.parametrize(
    ("authority", "name"),
    [
        ("LocalHost:8080", "localhost"),
        ("phone.lan.", "phone.lan"),
        ("[::1]:80", "::1"),
        ("::1", "::1"),
        ("[0:0:0:0:0:0:0:1]", "::1"),
        ("127.0.0.1", "127.0.0.1"),
        ("", None),
        ("a:b", None),
        ("a/b", None),
        ("u@a", None),
        ("[::1", None),
    ],
)
def test_host_names_are_parsed_in_all_forms(authority: str, name: str | None) -> None:
    assert host_name(authority) == name


@given(st.text())
def test_no_text_admits_a_foreign_host(text: str) -> None:
    gate = HostCheck.of("127.0.0.1", ["phone.lan"])
    if gate.admits_host(text):
        assert (
            host_name(text) == "phone.lan"
            or host_name(text) in ("localhost", "::1")
            or (host_name(text) or "").startswith("127.")
        )
    gate.admits_origin(text, text)
