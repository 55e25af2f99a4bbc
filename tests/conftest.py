"""Configuration of all tests: which command runs which, hypothesis, and the summary line."""

import gc
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Generator, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import certifi
import pytest
from hypothesis import HealthCheck, settings

from left_out import LEFT_OUT

if TYPE_CHECKING:
    from fleet.nats.lab import Lab

TESTS = Path(__file__).parent
BEGUN = pytest.StashKey[float]()

# The same examples on every machine and in every run, and none kept from an earlier run: a test
# that fails fails for everybody. No deadline for an example, nor for drawing some: how long that
# takes depends on the machine and on what else it does. `make fuzz` looks for new examples.
_SAME = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("test", _SAME, max_examples=12)
settings.register_profile("all", _SAME, max_examples=100)
settings.register_profile(
    "fuzz",
    _SAME,
    derandomize=False,
    max_examples=300,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("test")

FIRST_ROWS = 2
ELSEWHERE = ("matrix", "needs_", "any_phone")
"""How the markers begin of tests that `make test` leaves out anyway."""

NAMED_ONLY = (TESTS / "corpus", TESTS / "test_layers.py", TESTS / "test_docs.py")
"""Tests that read files outside this repository, and those of `make check`: collected only if named
explicitly."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--shuffle",
        metavar="SEED",
        help="another order: of the modules, and of the tests in each, drawn from this seed",
    )
    parser.addoption(
        "--through",
        choices=["engine"],
        help="only the tests that serve a phone, through a gateway, a real NATS server and a host",
    )


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    # asyncio alone: another loop shuffles task starts, and the order of actions is a promise.
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def no_settings() -> Iterator[None]:
    """What the person who runs the tests has set for Handheld is not part of them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - {"HANDHELD_PHONE_OK"}:
            if name.startswith("HANDHELD_"):
                patch.delenv(name)
        yield


@pytest.fixture(scope="session", autouse=True)
def few_authorities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One certificate authority instead of 140, which every HTTP client reads anew (30 ms): no test
    talks to a server that one of them certifies."""
    one, end, _ = certifi.contents().partition("-----END CERTIFICATE-----")
    path = tmp_path_factory.mktemp("authorities") / "one.pem"
    path.write_text(one + end, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(path))  # OpenSSL's, and those of programs
        patch.setattr(certifi, "where", lambda: str(path))  # httpx's
        yield


@pytest.fixture(scope="session")
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> "Iterator[Lab | None]":
    """What is between the server of a test and its phone; None without `--through engine`."""
    if request.config.getoption("--through") is None:
        yield None
        return
    from fleet.nats.lab import Lab

    lab = Lab(tmp_path_factory.mktemp("engine"))
    try:
        yield lab
    finally:
        lab.close()


@pytest.fixture(scope="module")
def own_engine(
    engine: "Lab | None", tmp_path_factory: pytest.TempPathFactory
) -> "Iterator[Lab | None]":
    """The same for one module alone: a directory keeps the phones of hosts that are gone."""
    if engine is None:
        yield None
        return
    lab = type(engine)(tmp_path_factory.mktemp("engine"))
    try:
        yield lab
    finally:
        lab.close()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if collection_path not in NAMED_ONLY:
        return None
    named = (Path(argument.split("::")[0]).absolute() for argument in config.args)
    return None if any(path.is_relative_to(collection_path) for path in named) else True


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without garbage collection, which would visit every collected test again and again.

    Everything that exists afterwards stays until the end, so later collections skip it.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        # A tenth of the processor time of all tests would be looking for garbage, most of it young.
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--through") is None:
        _leave_rows_to_the_matrix(items)
    else:
        _leave_those_through_the_engine(config, items)
    if (seed := config.getoption("--shuffle")) is None:
        return
    draw = random.Random(seed)  # every worker of pytest-xdist must use the same order
    modules = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    draw.shuffle(modules)
    for module in modules:
        draw.shuffle(module)
    items[:] = [item for module in modules for item in module]


def _leave_rows_to_the_matrix(items: list[pytest.Item]) -> None:
    """`make test` leaves slow tests to `make test WHAT=all`, and of a table of an asynchronous
    test, which mostly has its own phone, all but the first rows: each is a third of the time."""
    rows = Counter[str]()
    for item in items:
        if any(marker.name.startswith(ELSEWHERE) for marker in item.iter_markers()):
            continue
        if item.get_closest_marker("slow") is not None:
            item.add_marker(pytest.mark.matrix)
        if "anyio_backend" not in getattr(item, "fixturenames", ()) or "[" not in item.name:
            continue
        test = item.nodeid.partition("[")[0]
        rows[test] += 1
        if rows[test] > FIRST_ROWS:
            item.add_marker(pytest.mark.matrix)


def _leave_those_through_the_engine(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out: list[pytest.Item] = []
    for item in items:
        marker = item.get_closest_marker("at_host")
        if marker is not None and (len(marker.args) != 1 or not isinstance(marker.args[0], str)):
            raise pytest.UsageError(f"{item.nodeid}: at_host takes the reason.")
        if marker is not None or "engine" not in getattr(item, "fixturenames", ()):
            left_out.append(item)
    items[:] = [item for item in items if item not in set(left_out)]
    config.hook.pytest_deselected(items=left_out)


def pytest_sessionstart(session: pytest.Session) -> None:
    # A shell lets what it starts in the background ignore Ctrl-C, and so would programs of tests.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    session.config.stash[BEGUN] = time.monotonic()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> Generator[None]:
    """With -qq pytest prints no summary line; ours always has the same form."""
    yield
    if terminalreporter.verbosity > -2:
        return
    stats = terminalreporter.stats
    passed, skipped = (len(stats.get(word, ())) for word in ("passed", "skipped"))
    failed = len(stats.get("failed", ())) + len(stats.get("error", ()))
    if (seed := config.getoption("--shuffle")) is not None:
        terminalreporter.write_line(f"In the order that is drawn from SHUFFLE={seed}.")
    seconds = time.monotonic() - config.stash[BEGUN]
    counts = f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")
    terminalreporter.write_line(f"{counts} in {seconds:.0f} s", green=not failed, red=bool(failed))
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        left_out = "; ".join(f"{what}: `{command}`" for what, command in LEFT_OUT)
        terminalreporter.write_line(f"Not run: {left_out}.")
