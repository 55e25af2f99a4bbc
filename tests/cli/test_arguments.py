"""Command line arguments, and the output of `handheld call`."""

import errno
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.cli import main
from handheld.cli.arguments import parse
from handheld.cli.calling import print_items, read_arguments, save_image
from handheld.cli.clients.entry import NAME
from handheld.cli.clients.snippets import curl, snippets
from handheld.cli.terminal import shown_progress
from handheld.progress import is_watched, report
from handheld.tools.tool import Image

SCHEMA = {
    "properties": {
        "x": {"type": "number"},
        "text": {"type": "string"},
        "on": {"type": "boolean"},
        "list": {"type": "array"},
    }
}


@pytest.mark.parametrize(
    ("pairs", "text", "arguments"),
    [
        ([], None, {}),
        (["x=1", "on=true", "text=1"], None, {"x": 1, "on": True, "text": "1"}),
        (["text=a=b", "list=[1, 2]"], None, {"text": "a=b", "list": [1, 2]}),
        (["x=five"], None, {"x": "five"}),
        (["text="], None, {"text": ""}),
        (["other=null"], None, {"other": None}),
        (["x=2"], '{"x": 1, "text": "t"}', {"x": 2, "text": "t"}),
    ],
)
def test_argument_values_are_converted_by_the_schema(
    pairs: list[str], text: str | None, arguments: dict[str, Any]
) -> None:
    assert read_arguments(pairs, text, SCHEMA) == arguments


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("apps check --json my.apk", {"action": "check", "package": "my.apk", "json": True}),
        ("apps --json check my.apk", {"action": "check", "package": "my.apk", "json": True}),
        ("apps --apps-trust ask list", {"action": "list", "package": None, "json": False}),
        ("token add --read-only reader", {"action": "add", "name": "reader", "reads": True}),
        ("storage add --allow-write a/b:c", {"action": "add", "id": "a/b:c", "allow_write": True}),
        ("phones --log-level info release R58", {"action": "release", "serial": "R58"}),
        ("call tap --phone virtual x=1 y=2", {"name": "tap", "arguments": ["x=1", "y=2"]}),
        ("call tap -- -x=1", {"name": "tap", "arguments": ["-x=1"]}),
        ("call --json {} tap", {"name": "tap", "arguments": [], "json": "{}"}),
    ],
)
def test_flags_may_be_mixed_with_positional_arguments(typed: str, meant: dict[str, Any]) -> None:
    command, *_ = typed.split()
    given = vars(parse(typed.split()))
    assert {name: given[name] for name in ("command", *meant)} == {"command": command, **meant}


@pytest.mark.parametrize("typed", ["apps check a b", "apps check --bogus", "apps", "apps nonsense"])
def test_unknown_arguments_are_refused_with_the_usage(
    typed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(typed.split())
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: handheld apps [OPTION ...] {list")


def test_a_call_without_a_tool_reports_only_the_missing_tool(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        parse(["call"])
    output = capsys.readouterr().err.splitlines()[-1]
    assert output == "handheld call: error: the following arguments are required: TOOL"


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("sreve", "Did you mean serve?"),
        ("--port 1 serve", "--port is not known here; the options of a command follow it"),
        ("serve --prot 1", "Did you mean --port?"),
        ("token lsit", "Did you mean list?"),
        ("call --jsno={} tap", "Did you mean --json?"),
    ],
)
def test_a_misspelled_command_or_flag_gets_a_suggestion(
    typed: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(typed.split())
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith(near)


@pytest.mark.parametrize(
    ("flag", "says"),
    [
        ("--no-wake", "Do not switch on a screen that is off before an action. Nothing is ever"),
        ("--no-audit-required", "Do not refuse calls that cannot be recorded, for example when"),
        ("--no-audit-mask-files", "Do not mask the contents of files."),
        ("--read-only", "Switch off every tool that is not read-only."),
        ("--port PORT", "Port to listen on; 0 picks a free one. Default: 8080."),
        ("--host HOST", "Address to listen on. Any other than loopback needs a token. Default:"),
        (
            "--slug SLUG",
            "A short name for the single phone, which becomes part of its tools' names:",
        ),
        ("--log-level LEVEL", "How much is logged to stderr. One of error, warning, info, debug."),
        ("--token TOKEN", "Bearer token that clients must send. Other users can read it on a"),
    ],
)
def test_help_describes_a_flag_and_its_default(
    flag: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse(["serve", "--help-all"])
    text = " ".join(capsys.readouterr().out.split())
    assert f"{flag} {says}" in text


@given(st.text())
def test_a_text_argument_is_taken_as_typed(value: str) -> None:
    assert read_arguments([f"text={value}"], None, SCHEMA) == {"text": value}


@pytest.mark.parametrize(
    ("pairs", "text"), [(["x"], None), (["=1"], None), ([], "{"), ([], "1"), ([], "NaN]")]
)
def test_malformed_arguments_are_refused(pairs: list[str], text: str | None) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        read_arguments(pairs, text, SCHEMA)


def test_pictures_never_overwrite_each_other(tmp_path: Path) -> None:
    names = [save_image(Image(b"1", "image/png"), "tool", tmp_path).name for _ in range(2)]
    assert names == ["tool-1.png", "tool-2.png"]


def test_unprintable_text_is_printed_with_a_question_mark(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_items(["a\ud800b"], "tool", None)
    assert capsys.readouterr().out == "a?b\n"


def test_output_that_cannot_be_written_is_one_error_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))

    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as there:
        there.setattr("sys.stdout", Full())
        assert main(["token", "show"]) == 1
    output = "handheld: The output cannot be written: No space left on device.\n"
    assert capsys.readouterr().err == output


def test_nothing_is_written_to_a_closed_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    with monkeypatch.context() as there:
        # What Python has for `>&-`.
        there.setattr("sys.stdout", None)
        assert main(["token", "show"]) == 0
        there.setattr("sys.stderr", None)
        assert main(["token", "revoke", "nobody"]) == 1
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("is_terminal", "shown"), [(True, "a?[2Jb\tc?\n"), (False, None)])
def test_control_characters_from_an_app_do_not_reach_a_terminal(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool, shown: str | None
) -> None:
    output = "a\x1b[2Jb\tc\u202e"

    class Screen(io.StringIO):
        encoding = "utf-8"  # pyright: ignore[reportAssignmentType]

        def isatty(self) -> bool:
            return is_terminal

    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    print_items([output], "tool", None)
    assert screen.getvalue() == (shown or f"{output}\n")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_terminal_shows_how_far_a_call_has_come_and_then_clears_the_line(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return is_terminal

    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    with shown_progress():
        assert is_watched() == is_terminal
        for done in (0, 1, 500, 504, 990):
            report(done, 1000, "Sending")
        report(0, 0, "Checking")
        report(0, None, "Waiting")
    shown = ["Sending: 0%", "Sending: 50%", "Sending: 99%", "Checking: 100%", "Waiting", ""]
    clear = "\r\x1b[K"
    assert screen.getvalue() == ("".join(clear + each for each in shown) if is_terminal else "")


def test_without_a_token_client_configurations_have_no_header() -> None:
    texts = [one.text for one in snippets("http://127.0.0.1:1/mcp", "", ("handheld", "stdio"))]
    texts.append(curl("http://127.0.0.1:1/mcp", "", "android_tap"))
    assert not [text for text in texts if "Bearer" in text or "headers" in text]
    assert all(NAME in text for text in texts)
