"""What the doctor says of the owner's token."""

from pathlib import Path

import pytest

from handheld.app_tools.check.finding import Severity
from handheld.cli.doctor.examination import check_token
from handheld.settings import load
from handheld.settings.options import Settings

LONG = "a-token-of-24-characters"
PROBLEM, OK = Severity.PROBLEM, Severity.OK


def found(settings: Settings) -> list[tuple[Severity, str, str]]:
    return [(one.verdict, one.sentence, one.fix) for one in check_token(settings)]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    monkeypatch.delenv("HANDHELD_CONFIG", raising=False)
    monkeypatch.delenv("HANDHELD_TOKEN", raising=False)
    return tmp_path


def write(file: Path, text: str, mode: int = 0o600) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


def test_a_token_that_others_can_read_in_the_configuration_file_is_a_problem(home: Path) -> None:
    where = load().folders.config / "handheld.toml"
    write(where, f'token = "{LONG}"\n', 0o644)
    assert found(load()) == [
        (
            PROBLEM,
            f"Other users of this machine can read {where} (mode 0644).",
            f"chmod 600 {where}, then set another token",
        )
    ]
    where.chmod(0o600)
    assert found(load()) == [(OK, f"It is kept in {where}, which only you can read.", "")]


def test_a_configuration_file_without_a_token_may_be_read_by_others(home: Path) -> None:
    write(load().folders.config / "handheld.toml", "port = 8090\n", 0o644)
    [(verdict, sentence, _)] = found(load())
    assert verdict is OK
    assert sentence.startswith("None yet;")


@pytest.mark.parametrize(("token", "verdict"), [("x" * 15, PROBLEM), ("x" * 16, OK)])
def test_a_token_of_fewer_than_16_characters_is_a_problem(
    home: Path, monkeypatch: pytest.MonkeyPatch, token: str, verdict: Severity
) -> None:
    monkeypatch.setenv("HANDHELD_TOKEN", token)
    [(judged, sentence, fix)] = found(load())
    assert judged is verdict
    if verdict is PROBLEM:
        assert sentence == "The token has fewer than 16 characters: it can be guessed."
        assert fix.startswith("Remove token from HANDHELD_TOKEN")
    assert token not in sentence + fix
    monkeypatch.delenv("HANDHELD_TOKEN")
    write(load().folders.token, f"{token}\n")
    [(judged, _, fix)] = found(load())
    assert judged is verdict
    assert fix == ("handheld token new" if verdict is PROBLEM else "")


def test_a_short_token_in_a_file_that_others_can_read_is_two_problems(home: Path) -> None:
    where = write(load().folders.token, "short\n", 0o640)
    assert [fix for _, _, fix in found(load())] == [
        "handheld token new",
        f"chmod 600 {where} && handheld token new",
    ]
