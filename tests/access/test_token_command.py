"""`handheld token`, and what the doctor says of tokens."""

import json
import re
from pathlib import Path

import pytest

from handheld.access.tokens import Tokens
from handheld.app_tools.check.finding import Finding, Severity, ok
from handheld.cli import main
from handheld.cli.doctor.examination import check_named_tokens
from handheld.settings import load
from harness.manual_clock import ManualClock

NOW = 1_800_000_000.0
OWNER = "owner  all tools  all phones  (handheld token show)\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["token", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_token_is_added_listed_and_revoked(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "list") == (0, OWNER, "")
    code, secret, output = run(
        capsys,
        *("add", "reader", "--toolset", "files", "--toolset", "sms", "--for", "desk"),
        *("--for", "R58M", "--read-only", "--expires", "2030-12-31"),
    )
    assert (code, output) == (0, "It is shown only once: only its digest is stored.\n")
    token = Tokens(home / "state" / "tokens.json").recognise(secret.strip())
    assert token is not None
    assert (token.name, token.toolsets, token.phones, token.read_only) == (
        *("reader", ("files", "sms"), ("desk", "R58M"), True),
    )
    code, listed, output = run(capsys, "list")
    line = r"reader  files, sms  desk, R58M  read-only  expires 2031-01-01 00:00"
    assert (code, listed, output) == (0, f"{OWNER}{line}\n", "")
    assert secret.strip() not in listed
    assert run(capsys, "revoke", "reader") == (
        *(0, "", "Revoked: reader. It is no longer accepted.\n"),
    )
    assert run(capsys, "list") == (0, OWNER, "")


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["add"], 2, "Name the token: handheld token add NAME"),
        (["revoke"], 2, "Name the token: handheld token revoke NAME"),
        (["list", "x"], 2, "handheld token list takes no NAME."),
        (["show", "x"], 2, "handheld token show takes no NAME."),
        (["list", "--read-only"], 2, "--read-only is only for handheld token add."),
        (["revoke", "x", "--for", "a"], 2, "--for is only for handheld token add."),
        (["new", "--expires", "1d"], 2, "--expires is only for handheld token add."),
        (["revoke", "x"], 1, "There is no token called 'x'. There is only the owner's."),
        (["add", "x", "--expires", "soon"], 1, "'soon' is not an end time: give 12h, 30d or 4w"),
        (["add", "x", "--expires", "2001-01-01"], 1, "A token cannot expire before"),
        (["add", "x", "--toolset", "fils"], 1, "There is no toolset 'fils'."),
    ],
)
def test_what_cannot_be_is_refused(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    sentence: str,
) -> None:
    given, out, err = run(capsys, *arguments)
    assert (given, out) == (code, "")
    assert err.startswith(f"handheld: {sentence}")
    assert not (home / "state" / "tokens.json").exists()


def test_the_owners_token_is_shown_and_replaced_as_ever(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, first, _ = run(capsys, "show")
    assert run(capsys, "show") == (0, first, "")
    _, fresh, _ = run(capsys, "new")
    assert fresh != first
    assert run(capsys, "show") == (0, fresh, "")


def test_the_doctor_reports_tokens_that_expire(home: Path) -> None:
    settings = load({}, {"HANDHELD_HOME": str(home)})
    file = settings.folders.tokens
    assert list(check_named_tokens(settings, NOW)) == []
    tokens = Tokens(file, clock=ManualClock(NOW))
    tokens.make("for-ever")
    tokens.make("soon", expires=NOW + 3 * 24 * 3600)
    tokens.make("today", expires=NOW + 5400)
    tokens.make("gone", expires=NOW + 1)
    assert list(check_named_tokens(settings, NOW + 1)) == [
        Finding(
            Severity.WARNING,
            "tokens",
            f"The token {name} {output}.",
            f"handheld token revoke {name}{again}",
        )
        for name, output, again in (
            ("soon", "expires in 3 days", " && handheld token add soon"),
            ("today", "expires in 1 h", " && handheld token add today"),
            ("gone", "has expired and is refused", ""),
        )
    ] + [ok("tokens", "Known: for-ever, soon, today, gone.")]
    file.chmod(0o640)
    assert next(iter(check_named_tokens(settings, NOW))) == Finding(
        Severity.PROBLEM,
        "tokens",
        f"Other users of this machine can reach {file} (mode 0640).",
        f"chmod 600 {file}",
    )


def test_the_doctor_names_a_damaged_file(home: Path) -> None:
    settings = load({}, {"HANDHELD_HOME": str(home)})
    file = settings.folders.tokens
    file.parent.mkdir()
    file.write_text(json.dumps({"tokens": 1}), encoding="utf-8")
    [finding] = check_named_tokens(settings, NOW)
    assert (finding.verdict, finding.fix) == (Severity.PROBLEM, f"rm {file}")
    assert re.search(r"is damaged", finding.sentence)


def test_the_doctor_names_tokens_of_rules_that_there_are_not(home: Path) -> None:
    rules = "send_sms+token:raeder,tap+token:x*,swipe+token:owner"
    settings = load({}, {"HANDHELD_HOME": str(home), "HANDHELD_POLICY_DENY": rules})
    assert list(check_named_tokens(settings, NOW)) == [
        Finding(
            Severity.WARNING,
            "tokens",
            "A policy rule names the token raeder, which does not exist.",
            "handheld token add raeder",
        )
    ]
