"""The options of the plugin."""

from pathlib import Path
from typing import NamedTuple

import pytest

_PHONES, _TRACES, SCENE = "handheld_phones", "handheld_traces", "phone_scene"
_FOLDER = "test-results"
_ALWAYS, _OFF = "always", "off"


class TraceOptions(NamedTuple):
    folder: Path
    always: bool
    """Also write pages for tests that pass."""
    off: bool


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("handheld", "phones")
    group.addoption(
        "--phone",
        action="append",
        dest=_PHONES,
        metavar="SERIAL",
        default=[],
        help="test on this phone, by its serial or HOST:PORT, instead of virtual ones; for tests in"
        " parallel (pytest-xdist) repeat it, one for each worker",
    )
    group.addoption(
        "--phone-traces",
        action="append",
        dest=_TRACES,
        metavar="DIR|always|off",
        default=[],
        help=f"where the pages with the traces of failed tests are written (default {_FOLDER});"
        " always: those of tests that pass, too; off: none. May be repeated",
    )
    parser.addini(
        SCENE,
        "the scene of virtual phones whose test has none: the name of one that ships, or a TOML"
        " file relative to this one",
    )


def chosen_phones(config: pytest.Config) -> list[str]:
    """The phones to test on; empty for virtual ones."""
    given: list[str] = config.getoption(_PHONES) or []
    names = [name.strip() for each in given for name in each.split(",") if name.strip()]
    if len(set(names)) < len(names):
        raise pytest.UsageError("--phone names a phone twice.")
    return names


def trace_options(config: pytest.Config) -> TraceOptions:
    given: list[str] = config.getoption(_TRACES) or []
    folders = [each for each in given if each not in (_ALWAYS, _OFF)]
    if len(folders) > 1 or {_ALWAYS, _OFF} <= set(given):
        raise pytest.UsageError(
            "--phone-traces takes one folder, and always or off: " + ", ".join(given)
        )
    folder = config.invocation_params.dir / (folders[0] if folders else _FOLDER)
    return TraceOptions(folder, _ALWAYS in given, _OFF in given)


def default_scene(config: pytest.Config) -> str | Path:
    scene: str = config.getini(SCENE) or "default"
    if not scene.endswith(".toml"):
        return scene
    return (config.inipath.parent if config.inipath else config.rootpath) / scene
