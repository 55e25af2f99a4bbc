"""No secret is kept: not in what was asked for, not in what was replied, not in any byte."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from audit.calls import LISTINGS, make_call
from handheld.audit import AuditLog, Masks
from handheld.audit.masking import MASK, Remembered
from handheld.screen.text import brief
from handheld.tools.recording import AuditPolicy, Secret
from handheld.tools.tool import Listing

SECRET_ARGUMENTS = {
    "type_append_text": ("text",),
    "type_insert_text": ("text",),
    "type_replace_text": ("search", "new_text"),
    "type_clear_text": (),
    "set_text": ("text",),
    "input_text": ("text",),
    "clear_text": (),
    "send_sms": ("to_phone_number", "sms_text"),
    "set_clipboard": ("text",),
    "write_file": ("content",),
    "append_file": ("content",),
    "file_replace": ("old_string", "new_string"),
    "notification_reply": ("text",),
    "send_intent": ("extras",),
    "find_contacts": ("query",),
    "list_messages": ("with",),
    "run_web_script": ("script",),
}


def kept(
    tool: str, arguments: Mapping[str, Any], *, masks: Masks | None = None, plain: bool = False
) -> dict[str, Any]:
    return (masks or Masks()).arguments(make_call(tool, arguments, plain_field=plain))


def recorded(
    tool: str,
    arguments: Mapping[str, Any],
    text: str,
    *,
    failed: bool = False,
    masks: Masks | None = None,
    plain: bool = False,
) -> str:
    call = make_call(tool, arguments, plain_field=plain)
    [result] = (masks or Masks()).result(call, [text], failed=failed)
    return result


def test_the_declared_secrets_are_these() -> None:
    declared = {
        tool: tuple(name for name, kind in listing.recording.params.items() if kind != Secret.URL)
        for tool, listing in LISTINGS.items()
    }
    expected = {tool: names for tool, names in SECRET_ARGUMENTS.items() if names}
    assert {tool: names for tool, names in declared.items() if names} == expected
    replies = {tool: listing.recording.reply for tool, listing in LISTINGS.items()}
    assert {tool: kind for tool, kind in replies.items() if kind is not Secret.NO} == {
        "get_clipboard": Secret.ALWAYS,
        "read_file": Secret.FILE,
        "notification_list": Secret.WHOLE,
        "wait_for_notification": Secret.WHOLE,
        "get_location": Secret.ALWAYS,
        "list_web_pages": Secret.WHOLE,
        "read_web_page": Secret.WHOLE,
        "run_web_script": Secret.WHOLE,
        "find_contacts": Secret.WHOLE,
        "list_events": Secret.WHOLE,
        "list_calls": Secret.WHOLE,
        "list_messages": Secret.WHOLE,
        "list_media": Secret.WHOLE,
        **{tool: Secret.TYPED for tool in SECRET_ARGUMENTS if "text" in tool},
    }


def test_a_tool_is_masked_as_declared_whatever_its_name() -> None:
    schema = {"properties": {"pin": {}, "page": {}, "number": {}}}
    secrets = {"pin": Secret.ALWAYS, "page": Secret.URL, "number": Secret.PHONE_NUMBER}
    recording = AuditPolicy(secrets, Secret.ALWAYS)
    call = make_call(
        "new_tool", {"pin": "47110815", "page": "https://me:pw@example.org/a?b=c", "number": "0175"}
    )._replace(listing=Listing("new_tool", "", "", schema, recording=recording))
    masks = Masks()
    page = f"https://example.org/a?{MASK}"
    assert masks.arguments(call) == {"pin": MASK, "page": page, "number": MASK}
    assert masks.result(call, ["anything"], failed=False) == [MASK]
    assert masks.result(call, ["Call 0176 555"], failed=True) == [f"Call {MASK}"]
    assert masks.replied_secrets(call, ['{"code": "0815"}']) == ["0815"]


@pytest.mark.parametrize("tool", SECRET_ARGUMENTS)
def test_secrets_among_the_arguments_are_masked_and_the_rest_is_kept(tool: str) -> None:
    secret = dict.fromkeys(SECRET_ARGUMENTS[tool], "hunter2")
    masked = dict.fromkeys(SECRET_ARGUMENTS[tool], MASK)
    other = {"element_id": "node_1_w2", "path": "a.txt", "subscription_id": 1}
    known = {
        name: value
        for name, value in other.items()
        if name in LISTINGS[tool].input_schema["properties"]
    }
    assert kept(tool, {**secret, **known}) == {**masked, **known}


def test_what_goes_into_a_plain_field_is_kept() -> None:
    arguments = {"element_id": "node_1_w2", "text": "milk and bread"}
    assert kept("type_append_text", arguments, plain=True) == arguments
    masked = {**arguments, "text": MASK}
    assert kept("type_append_text", arguments, plain=True, masks=Masks(typing=True)) == masked
    content = "Typed 14 characters at end of element 'node_1_w2'.\nField content: milk and bread"
    assert recorded("type_append_text", arguments, content, plain=True) == content
    assert recorded("type_append_text", arguments, content) == (
        f"Typed 14 characters at end of element 'node_1_w2'.\nField content: {MASK}"
    )


def test_file_contents_are_recorded_if_the_settings_say_so() -> None:
    arguments = {"location_id": "x/y", "path": "a.txt", "content": "hello"}
    assert kept("write_file", arguments, masks=Masks(files=False)) == arguments
    assert recorded("read_file", {"path": "a.txt"}, "1| hello") == MASK
    assert (
        recorded("read_file", {"path": "a.txt"}, "1| hello", masks=Masks(files=False)) == "1| hello"
    )


def test_app_tool_calls_are_masked_if_the_settings_say_so() -> None:
    arguments = {"title": "diary"}
    assert kept("app_notes_add", arguments) == arguments
    assert kept("app_notes_add", arguments, masks=Masks(apps=True)) == {"title": MASK}
    assert recorded("app_notes_add", arguments, "Added it", masks=Masks(apps=True)) == MASK


@pytest.mark.parametrize(
    ("tool", "masks"), [("app_notes_add", Masks(apps=True)), ("run_web_script", Masks())]
)
def test_what_was_said_besides_a_failure_is_masked_like_a_reply(tool: str, masks: Masks) -> None:
    texts = ["The script threw:", "Error: hunter2"]
    call = make_call(tool, {})
    assert masks.result(call, texts, failed=True) == ["The script threw:", MASK]


def test_the_clipboard_is_masked_both_ways() -> None:
    assert kept("set_clipboard", {"text": "hunter2"}) == {"text": MASK}
    assert recorded("get_clipboard", {}, '{"text":"hunter2"}') == MASK
    assert recorded("get_clipboard", {}, "Clipboard access failed: locked", failed=True) == (
        "Clipboard access failed: locked"
    )


@pytest.mark.parametrize(
    ("number", "result", "left"),
    [
        ("+36201234567", "SMS sent to +36201234567", f"SMS sent to {MASK}"),
        ("+36 20 123-4567", "SMS sent to +36201234567", f"SMS sent to {MASK}"),
        ("112", "SMS sent to 112", f"SMS sent to {MASK}"),
    ],
)
def test_a_message_is_recorded_without_its_number(number: str, result: str, left: str) -> None:
    arguments = {"to_phone_number": number, "sms_text": "SMS"}
    assert recorded("send_sms", arguments, result) == left


def test_a_failure_that_quotes_a_secret_is_masked_whole() -> None:
    arguments = {"element_id": "node_1_w2", "text": "correct horse battery staple"}
    quoting = "Parameter 'text' must be shorter, got string: 'correct hor...truncated'"
    assert recorded("type_append_text", arguments, quoting, failed=True) == MASK
    plain = "Element 'node_1_w2' not found."
    assert recorded("type_append_text", arguments, plain, failed=True) == plain
    assert recorded("type_append_text", {"text": "7"}, "Got 7.", failed=True) == MASK


def test_much_is_looked_at_in_part_so_that_no_call_holds_up_the_others() -> None:
    known = "There is no location 'x'."
    much = {"content": "0123456789" * 100_000}
    assert recorded("write_file", much, known, failed=True) == known
    assert recorded("write_file", much, "Not '01234'.", failed=True) == MASK
    many = {"content": [f"part {number}" for number in range(5000)]}
    assert recorded("write_file", many, known, failed=True) == MASK
    assert recorded("write_file", many, "Written.") == "Written."
    long = {"content": ["y" * 30_000] * 9}
    assert recorded("write_file", long, known, failed=True) == MASK
    remembered = Remembered()
    remembered.add(["short one", "x" * 100_000])
    assert remembered.clean(f"short one, {'x' * 100_000}") == f"{MASK}, {'x' * 100_000}"


def test_what_stands_under_a_wrong_name_is_masked_too() -> None:
    assert kept("send_sms", {"message": "hunter2"}) == {"message": MASK}
    assert kept("tap", {"z": 1}) == {"z": 1}


def test_an_address_is_kept_without_what_opens_it() -> None:
    url = "https://me:hunter2@example.com:8443/a.pdf?sig=hunter2#hunter2"
    assert kept("download_from_url", {"url": url}) == {
        "url": f"https://example.com:8443/a.pdf?{MASK}"
    }
    assert kept("download_from_url", {"url": "http://[bad"}) == {"url": MASK}


@pytest.mark.parametrize("before", [40, 80, 95, 200])
def test_an_address_that_a_reply_cuts_is_kept_without_what_opens_it(before: int) -> None:
    for url in (
        f"https://a.example/{'p' * before}?sig={'hunter2' * 20}",
        f"https://me:{'hunter2' * 20}@a.example/{'p' * before}",
        f"  intent://a/{'p' * before}#Intent;scheme=foo;S.sig={'hunter2' * 20};end",
    ):
        reply = f"URI opened successfully: {brief(url.strip())}"
        kept_text = recorded("open_uri", {"uri": url}, reply)
        assert "hunter" not in kept_text
        assert kept_text.startswith("URI opened successfully: ")


@pytest.mark.parametrize(
    "result",
    [
        "Download failed with HTTP status 404 for URL: {url}",
        "Download failed: it was redirected to what is no web address: x://y?{query}",
        "Download failed: Request URL is missing a host (me:hunter%32@example.com).",
    ],
)
def test_a_failure_to_download_is_kept_without_what_opens_the_address(result: str) -> None:
    url = "https://me:hunter%32@example.com/a.pdf?sig=hunter%32"
    text = result.format(url=url, query="sig=hunter2")
    kept_text = recorded("download_from_url", {"url": url}, text, failed=True)
    assert "hunter" not in kept_text
    assert kept_text.startswith("Download failed") or kept_text == MASK


def test_what_an_emptied_field_held_is_masked_like_what_is_typed() -> None:
    result = "The text was edited, but not as expected.\nField content: hunter2"
    left = f"The text was edited, but not as expected.\nField content: {MASK}"
    for tool in ("type_clear_text", "clear_text"):
        assert recorded(tool, {"element_id": "node_1_w2"}, result, failed=True) == left
        assert (
            recorded(tool, {"element_id": "node_1_w2"}, result, failed=True, plain=True) == result
        )


@pytest.mark.parametrize(
    ("tool", "secret"),
    [
        ("type_append_text", {"text": "pass word!"}),
        ("input_text", {"text": "pass word!"}),
        ("set_clipboard", {"text": "pass word!"}),
        ("send_sms", {"to_phone_number": "+36201234567", "sms_text": "pass word!"}),
    ],
)
def test_a_secret_that_a_later_reply_shows_is_masked_there_too(
    tmp_path: Path, tool: str, secret: dict[str, str]
) -> None:
    log = AuditLog(tmp_path / "calls.sqlite")
    log.end(log.begin(make_call(tool, secret)), "done", ["Done"], 1.0)
    shown = 'node_1_w2\tEditText\tpass word!\t-\n{"text":"pass word!","more":"+pass word!?"}'
    elements = {"node_1_w2": {"text": "pass word!"}}
    call = make_call("get_screen_state", {})._replace(elements=elements)
    log.end(log.begin(call), "done", [shown], 1.0)
    log.end(log.begin(make_call("tap", {"x": 1})), "failed", ["It is 'pass word!'."], 1.0)
    _, screen, failure = log.entries()
    log.close()
    assert screen.result == (
        f'node_1_w2\tEditText\t{MASK}\t-\n{{"text":"{MASK}","more":"+{MASK}?"}}',
    )
    assert screen.elements == {"node_1_w2": {"text": MASK}}
    assert failure.result == (f"It is '{MASK}'.",)


def test_a_short_secret_is_masked_where_it_stands_alone(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "calls.sqlite")
    for text in ("4711", "ab"):
        log.end(log.begin(make_call("input_text", {"text": text})), "done", ["Done"], 1.0)
    shown = "node_4711a\t4711\tab\tPIN: 4711, or 47110"
    log.end(log.begin(make_call("get_screen_state", {})), "done", [shown], 1.0)
    *_, screen = log.entries()
    log.close()
    assert screen.result == (f"node_4711a\t{MASK}\tab\tPIN: {MASK}, or 47110",)


def test_what_was_on_the_clipboard_is_masked_where_a_later_reply_shows_it(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "calls.sqlite")
    log.end(log.begin(make_call("get_clipboard", {})), "done", ['{"text":"hunter\\"2"}'], 1.0)
    log.end(log.begin(make_call("get_screen_state", {})), "done", ['a\thunter"2\tb'], 1.0)
    *_, screen = log.entries()
    log.close()
    assert screen.result == (f"a\t{MASK}\tb",)


def test_a_reply_that_spells_a_secret_otherwise_is_masked_too(tmp_path: Path) -> None:
    secret = "\U00013dbfI¢æN7¶³=g"
    log = AuditLog(tmp_path / "calls.sqlite")
    call = make_call("append_file", {"path": "a", "content": secret})
    log.end(log.begin(call), "done", [f"{secret!r} and {json.dumps(secret)}"], 1.0)
    [entry] = log.entries()
    log.close()
    assert entry.result == (f"'{MASK}' and \"{MASK}\"",)


secrets = st.text(min_size=8, max_size=60).filter(lambda text: len(set(text)) > 5)
HARMLESS = "Something that has no secret"


def shapes(secret: str) -> list[str]:
    return [
        secret,
        f"before {secret} after",
        f"got string: {secret!r}",
        f"got: {json.dumps(secret)}",
        json.dumps({"text": secret}, ensure_ascii=False),
    ]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AuditLog]:
    log = AuditLog(tmp_path_factory.mktemp("bytes") / "calls.sqlite")
    yield log
    log.close()


@given(
    data=st.data(),
    secret=secrets,
    tool=st.sampled_from(sorted(tool for tool, names in SECRET_ARGUMENTS.items() if names)),
    state=st.sampled_from(["done", "failed", "denied"]),
)
def test_no_secret_is_in_any_byte_of_the_files(
    log: AuditLog, data: st.DataObject, secret: str, tool: str, state: Any
) -> None:
    arguments: dict[str, Any] = {"element_id": "node_1_w2"}
    for name in SECRET_ARGUMENTS[tool]:
        arguments[name] = data.draw(st.sampled_from([secret, [secret], {"a": {"b": secret}}]))
    # A failure may quote the beginning alone.
    shown = secret if state == "done" else secret[: data.draw(st.integers(4, 60))]
    written = {secret, shown, json.dumps(secret)[1:-1], repr(secret)[1:-1]}
    words = [word.encode(encoding) for word in written for encoding in ("utf-8", "utf-16-le")]
    before = every_byte(log)
    assume(not any(word in before for word in words))
    id = log.begin(make_call(tool, arguments))
    log.end(id, state, [HARMLESS, *shapes(shown)], 1.0)
    log.write_ends()
    after = every_byte(log)
    assert HARMLESS.encode() in after
    assert [word for word in words if word in after] == []


def every_byte(log: AuditLog) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(log.file.parent.iterdir()))
