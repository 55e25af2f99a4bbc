"""The Dockerfile as `make container` reads it where there is no Docker."""

from pathlib import Path

import pytest
from scripts.container import docker_answers
from scripts.dockerfile import Context, Image, Unknown, parse

ROOT = Path(__file__).parent.parent.parent


def test_our_dockerfile_is_understood_whole() -> None:
    build, last = parse((ROOT / "Dockerfile").read_text("utf-8"))
    assert build.name == "build"
    assert build.base == last.base
    image = Image({"PATH": "/bin"})
    for step in last.steps:
        if step.word not in ("RUN", "COPY"):
            image.set(step)
    assert image.variables["PATH"] == "/opt/handheld/bin:/bin"
    assert image.user == "10001"
    assert [*image.entrypoint, *image.arguments] == ["handheld", "serve", "--phone", "virtual"]
    assert image.volumes == [image.folder] == [image.variables["HANDHELD_HOME"]]


def test_no_token_is_part_of_the_image() -> None:
    assert "TOKEN" not in (ROOT / "Dockerfile").read_text("utf-8")


def test_a_computer_without_docker_is_one_where_it_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert not docker_answers()


@pytest.mark.parametrize(
    "text",
    [
        "FROM a\nADD x y",
        "FROM a\nRUN --network=none true",
        "FROM a\nCOPY --chown x y",
        "RUN true",
        "FROM a\nrun true",
    ],
)
def test_what_is_not_understood_is_an_error(text: str) -> None:
    with pytest.raises(Unknown):
        parse(text)


@pytest.mark.parametrize(
    ("path", "left_out"),
    [
        ("pyproject.toml", False),
        ("src/handheld/cli/__init__.py", False),
        ("src/handheld_virtual/README.md", False),
        ("src/handheld/__pycache__/x.pyc", True),
        ("tests/conftest.py", True),
        (".git/config", True),
        ("handheld.toml", True),
        ("requirements-dev.lock", True),
    ],
)
def test_only_what_the_image_needs_is_given_to_its_build(path: str, left_out: bool) -> None:
    assert Context(ROOT).leaves_out(ROOT / path) is left_out
