"""What a trace keeps of calls, what it masks, and that it stays small."""

from collections.abc import Iterator

import pytest

from handheld import ElementNotFound, InvalidParams, Phone, TimedOut
from handheld.audit.masking import MASK
from handheld.library import tracing
from handheld.library.masks import Shown, mask_call
from handheld.library.tracing import Trace
from handheld_virtual import ManualClock, PhoneThread

PASSWORD = "correct horse"


@pytest.fixture
def trace() -> Trace:
    return Trace()


@pytest.fixture
def phone(trace: Trace) -> Iterator[Phone]:
    with PhoneThread(clock=ManualClock()) as virtual, Phone.on(virtual, trace=trace) as phone:
        yield phone


def test_calls_are_kept_with_replies_and_pictures(phone: Phone, trace: Trace) -> None:
    phone.open("Settings")
    with pytest.raises(ElementNotFound):
        phone.tap("Nothing")
    phone.look()
    with pytest.raises(TimedOut):
        phone.wait("Nothing", seconds=0)
    opened, tapped, looked, waited = trace.calls
    assert opened.shown is not None
    assert opened.shown.arguments == {"what": "Settings"}
    assert opened.shown.reply[0].startswith('Opened "Settings".')
    assert (opened.failed, tapped.failed, looked.failed) == (False, True, False)
    assert tapped.shown is not None
    assert tapped.shown.reply[0].startswith('No "Nothing" is visible')
    assert waited.shown is not None
    assert "Call wait again" in waited.shown.reply[0]
    assert opened.before != opened.after
    assert opened.after == tapped.before == tapped.after == looked.after
    assert set(trace.pictures) == {opened.before, opened.after}
    assert all(picture.startswith(b"\xff\xd8") for picture in trace.pictures.values())


def test_what_goes_into_a_password_field_is_masked_wherever_it_shows(
    phone: Phone, trace: Trace
) -> None:
    phone.open("Login")
    phone.type("ada", into="User name")
    phone.type(PASSWORD, into="Password")
    phone.tap("Show password")
    phone.look()
    named, secret, shown, looked = list(trace.calls)[1:]
    assert named.shown is not None
    assert named.shown.arguments["text"] == "ada", "this field holds no secret"
    assert '= "ada"' in named.shown.reply[0]
    assert secret.shown is not None
    assert secret.shown.arguments["text"] == MASK
    assert PASSWORD not in repr(list(trace.calls))
    assert (shown.after, looked.after) == ("", ""), "no picture of it"
    assert trace.clean(f"assert {PASSWORD!r} in page") == f"assert '{MASK}' in page"


def test_steps_are_shown_one_by_one(phone: Phone, trace: Trace) -> None:
    steps = [
        {"tool": "open", "what": "Login"},
        {"tool": "wait", "text": "Password"},
        {"tool": "type", "text": "ada", "into": "User name"},
        {"tool": "type", "text": PASSWORD, "into": "Password"},
    ]
    phone.do(steps)
    [call] = trace.calls
    assert [(step.tool, dict(step.arguments)) for step in call.steps] == [
        ("phone_open", {"what": "Login"}),
        ("phone_wait", {"text": "Password"}),
        ("phone_type", {"text": "ada", "into": "User name"}),
        ("phone_type", {"text": MASK, "into": "Password"}),
    ]
    assert call.shown is not None
    assert call.shown.reply[0].startswith("4 of 4 done.")
    with pytest.raises(InvalidParams):
        phone.do([{"tool": "eat"}])
    assert trace.calls[-1].shown == Shown("do", {}, (trace.calls[-1].shown or call.shown).reply)


def test_screens_with_messages_are_masked_as_in_the_record(phone: Phone, trace: Trace) -> None:
    reply = phone.open("Messages")
    [call] = trace.calls
    assert call.shown is not None
    assert call.shown.reply == (MASK,)
    assert call.before
    assert not call.after
    line = next(line for line in reply.split("\n") if "Ada Lovelace" in line)
    assert "Ada" not in trace.clean(f"E   {line}")


@pytest.mark.parametrize(
    ("tool", "given", "reply", "shown"),
    [
        ("tap", {"at": "k4"}, "Tapped.", [Shown("tap", {"at": "k4"}, ("Tapped.",))]),
        (
            "type",
            {"text": "secret words", "into": "k4"},
            'Typed into k4.\n~ k4 field = "secret words"',
            [
                Shown(
                    "type",
                    {"text": MASK, "into": "k4"},
                    (f'Typed into k4.\n~ k4 field = "{MASK}"',),
                )
            ],
        ),
        (
            "read",
            {"what": "clipboard"},
            '"secret"',
            [Shown("read", {"what": "clipboard"}, (MASK,))],
        ),
        ("read", {"what": "device"}, "API 34", [Shown("read", {"what": "device"}, ("API 34",))]),
        (
            "look",
            {},
            'com.android.messaging "Messages" s3\n"Hi"',
            [Shown("look", {}, (MASK,))],
        ),
        (
            "message",
            {"to": "+3612345", "text": "x"},
            "Sent.",
            [Shown("message", {"to": MASK, "text": MASK}, ("Sent.",))],
        ),
        ("unknown_tool", {"a": "b"}, "Done.", [Shown("unknown_tool", {"a": MASK}, ("Done.",))]),
        (
            "do",
            {"steps": [{"tool": "type", "text": "secret words"}, {"tap": "k4"}]},
            "Done.",
            [Shown("type", {"text": MASK}), Shown("tap", {"at": "k4"})],
        ),
        ("do", {"steps": "nonsense"}, "Done.", []),
    ],
)
def test_calls_that_another_process_records_are_masked_by_what_is_declared(
    tool: str, given: dict[str, object], reply: str, shown: list[Shown]
) -> None:
    assert mask_call(tool, given, [reply], failed=False) == shown


def test_a_trace_stays_small(phone: Phone, trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "MOST_BYTES", 20_000)
    for app in ("Settings", "Clock", "Notes", "Files"):
        phone.open(app)
    assert sum(map(len, trace.pictures.values())) <= 20_000
    assert trace.calls[-1].after in trace.pictures, "the newest are kept"
    assert trace.calls[0].before not in trace.pictures
    for _ in range(tracing.MOST_CALLS):
        trace.calls.append(trace.calls[0])
    assert len(trace.calls) == tracing.MOST_CALLS
