"""The frame codec, without a helper."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.helper.protocol import (
    FRAME_LIMIT,
    CallRequest,
    Code,
    Frame,
    FrameDecoder,
    FrameKind,
    Happened,
    HelperFailure,
    ProtocolError,
    Then,
    decode_call,
    decode_failure,
    decode_json,
    encode_call,
    encode_failure,
    encode_frame,
    encode_json,
)

from .vectors import VECTORS, names


def decode_all(data: bytes, piece: int) -> list[Frame]:
    decoder = FrameDecoder()
    frames: list[Frame] = []
    for start in range(0, len(data), piece):
        frames += decoder.feed(data[start : start + piece])
    return frames


def payload_of(vector: dict[str, Any]) -> bytes:
    if "payload" in vector:
        return bytes.fromhex(vector["payload"])
    return json.dumps(vector["json"], ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=names("frames"))
def test_each_vector_decodes_and_encodes_to_the_same_bytes(vector: dict[str, Any]) -> None:
    kind = FrameKind[vector["kind"]]
    frame = Frame(kind, vector["call"], payload_of(vector))
    data = bytes.fromhex(vector["hex"])
    assert decode_all(data, len(data)) == [frame]
    assert decode_all(data, 1) == [frame]
    assert encode_frame(frame) == data
    if "json" in vector:
        assert decode_json(frame.payload) == vector["json"]
        assert encode_json(kind, vector["call"], vector["json"]) == data


@pytest.mark.parametrize(
    "vector", [v for v in VECTORS["frames"] if v["kind"] == "CALL"], ids=lambda v: v["name"]
)
def test_each_call_vector_is_a_request(vector: dict[str, Any]) -> None:
    value = vector["json"]
    then = Then(**value["then"]) if "then" in value else None
    request = CallRequest(
        value["do"],
        value["with"],
        value["budget_ms"],
        value["act"],
        value.get("wake", False),
        then,
    )
    assert decode_call(payload_of(vector)) == request
    assert encode_call(vector["call"], request).hex() == vector["hex"]


@pytest.mark.parametrize(
    "vector", [v for v in VECTORS["frames"] if v["kind"] == "ERROR"], ids=lambda v: v["name"]
)
def test_each_error_vector_is_a_failure(vector: dict[str, Any]) -> None:
    failure = decode_failure(payload_of(vector))
    value = vector["json"]
    assert (failure.code, failure.happened) == (Code(value["code"]), Happened(value["happened"]))
    assert (failure.message, failure.data) == (value["message"], value.get("data", {}))
    assert encode_failure(vector["call"], failure).hex() == vector["hex"]


@pytest.mark.parametrize("payload", [b"{}", b'{"code":"odd","message":"","happened":"no"}', b"7"])
def test_malformed_error_is_a_protocol_error(payload: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode_failure(payload)


def test_error_data_must_be_an_object() -> None:
    with pytest.raises(ProtocolError):
        decode_failure(b'{"code":"failed","message":"x","happened":"no","data":[1]}')


def test_lone_surrogate_becomes_a_replacement_character() -> None:
    frame = encode_json(FrameKind.REPLY, 1, {"text": "a\ud83db😀"})
    assert decode_json(frame[9:]) == {"text": "a\ufffdb😀"}


def test_a_frame_over_the_limit_is_not_written() -> None:
    largest = bytes(FRAME_LIMIT - 5)
    assert len(encode_frame(Frame(FrameKind.DATA, 1, largest))) == FRAME_LIMIT + 4
    with pytest.raises(ProtocolError):
        encode_frame(Frame(FrameKind.DATA, 1, largest + b"x"))


def test_oversized_length_is_rejected_before_its_payload_arrives() -> None:
    with pytest.raises(ProtocolError):
        list(FrameDecoder().feed(bytes.fromhex("00400001 01 00000001")))


def test_deep_nesting_is_a_protocol_error() -> None:
    with pytest.raises(ProtocolError):
        decode_json(b'{"a":' * 200_000)


frames = st.builds(Frame, st.integers(0, 255), st.integers(0, 0xFFFFFFFF), st.binary(max_size=300))


@given(st.lists(frames, max_size=8), st.integers(1, 64))
def test_frames_decode_from_any_chunks(expected: list[Frame], piece: int) -> None:
    data = b"".join(map(encode_frame, expected))
    assert decode_all(data, piece) == expected


@given(st.binary(max_size=200), st.integers(1, 50))
def test_any_bytes_are_frames_or_a_protocol_error(data: bytes, piece: int) -> None:
    def outcome(piece: int) -> list[Frame] | str:
        try:
            return decode_all(data, piece)
        except ProtocolError as problem:
            return str(problem)

    assert outcome(piece) == outcome(len(data) or 1)


@given(
    st.sampled_from(Code),
    st.sampled_from(Happened),
    st.text(),
    st.dictionaries(st.text(), st.integers()),
)
def test_failures_round_trip(
    code: Code, happened: Happened, message: str, data: dict[str, int]
) -> None:
    frame = encode_failure(9, HelperFailure(code, message, happened, data))
    decoded = decode_failure(frame[9:])
    assert (decoded.code, decoded.happened, decoded.message, decoded.data) == (
        code,
        happened,
        message,
        data,
    )
