"""The pytest plugin: fixtures, markers, and a page for each failed test (docs/testing.md).

It is installed with Handheld; `-p no:handheld` disables it. Nothing is imported before a test uses
it.
"""

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest

from .options import add_options, chosen_phones, trace_options

if TYPE_CHECKING:
    from handheld_virtual import PhoneThread

    from ..library.phone import AsyncPhone, Phone
    from .traced_test import TracedTest

_TRACED: "pytest.StashKey[TracedTest]" = pytest.StashKey()
_PHONES = ("phone", "async_phone")


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "scene(name, *, api=None, authorize=None): what is on the virtual phone of this test: a "
        "scene that ships, or a TOML file beside the test.",
    )
    config.addinivalue_line(
        "markers",
        "api(*levels, min=None, max=None): run this test on virtual phones of each of these API "
        "levels; on a real phone of another one it is skipped.",
    )
    trace_options(config)
    phones, workers = chosen_phones(config), getattr(config.option, "tx", None) or ()
    if phones and len(workers) > len(phones):
        raise pytest.UsageError(
            f"{len(workers)} workers of pytest-xdist need a phone each, and --phone names"
            f" {len(phones)}: use -n {len(phones)}, or -n auto."
        )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """With `-n auto` there is one worker for each phone."""
    return len(chosen_phones(config)) or None


def pytest_report_header(config: pytest.Config) -> list[str]:
    phones = chosen_phones(config)
    return [f"phones: {', '.join(phones)}"] if phones else []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("api")
    if marker is None or "phone_api" not in metafunc.fixturenames:
        return
    from .markers import read_levels

    levels = read_levels(marker)
    if not chosen_phones(metafunc.config):
        chosen = levels.to_run()
        names = [f"api{level}" for level in chosen]
        metafunc.parametrize("phone_api", chosen, indirect=True, ids=names)


@pytest.fixture
def phone_api(request: pytest.FixtureRequest) -> int | None:
    """The API level that the marker `api` gives a virtual phone; None without it."""
    return getattr(request, "param", None)


@pytest.fixture
def virtual_phone(request: pytest.FixtureRequest, phone_api: int | None) -> "Iterator[PhoneThread]":
    """A virtual phone that listens for adb on loopback: `address` is where, `run` and `hold` access
    its state. For plain and asynchronous tests alike. In a test with `phone` it is that one, and
    its time passes while `phone` is used."""
    from .markers import stage_phone

    with stage_phone(request, phone_api, stands_still=_uses(request, *_PHONES)) as staged:
        yield staged


@pytest.fixture(scope="session")
def connected_phone(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> "Iterator[Phone]":
    """The phone of `--phone` that this process tests on. If there are several, it is one that no
    other worker has taken."""
    from .phones import take_phone

    with take_phone(request.config, tmp_path_factory) as phone:
        yield phone


@pytest.fixture
def phone(request: pytest.FixtureRequest, phone_api: int | None) -> "Iterator[Phone]":
    """A phone: a new virtual one for each test, or the one of `--phone SERIAL`. It has the
    methods of `handheld.Phone`: `phone.open("Settings")`, `phone.tap("Display")`,
    `phone.expect("Theme")`."""
    from .phones import use_connected, use_virtual
    from .traced_test import TracedTest

    traced = TracedTest(request.node, trace_options(request.config))
    request.node.stash[_TRACED] = traced
    if chosen_phones(request.config):
        using = use_connected(request, traced)
    else:
        using = use_virtual(request.getfixturevalue("virtual_phone"), traced)
    with using as used:
        yield used


@pytest.fixture
def async_phone(phone: "Phone") -> "AsyncPhone":
    """The phone of the fixture `phone` for asynchronous tests, with methods to be awaited."""
    from ..library.phone import AsyncPhone

    return AsyncPhone.of(phone)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    traced = item.stash.get(_TRACED, None)
    if traced is not None:
        traced.report(report)
    return report


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Show the screen for `assert "Sent" in phone.look()`."""
    if op not in ("in", "not in") or type(right).__module__ != "handheld.library.screen":
        return None
    return [f"{left!r} {op} the screen", *str(right).split("\n")]


def _uses(request: pytest.FixtureRequest, *names: str) -> bool:
    return any(name in request.fixturenames for name in names)
