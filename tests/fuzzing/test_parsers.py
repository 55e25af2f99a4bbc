"""Every parser reads or refuses what others wrote: a few cases of each, those that once broke one,
and whether the fuzzer itself would notice. `make fuzz-parsers` runs as many as one likes."""

import itertools
import time

import pytest

from . import workers
from .targets import TARGETS, shares
from .trial import MOST_SECONDS, Target, attempt
from .workers import run_all, run_cases

CASES = 12
BY_NAME = {target.name: target for target in TARGETS}
DIGITS = b"9" * 5000
"""More than Python converts to a number."""
SPACES = b" " * 30_000

FOUND: tuple[tuple[str, bytes], ...] = (
    ("adb-server", b"OKAY-001"),
    ("dumpsys-tasks", b"topResumedActivity=ActivityRecord{1 u0 a/.B t" + DIGITS + b"}"),
    ("dumpsys-tasks", b"* Recent #0: Task{a #" + DIGITS + b" \n"),
    ("dumpsys-secure", b"Window #0 x" + SPACES + b"x"),
    (
        "dumpsys-package",
        b"Packages:\n  Package [org.example.notes] (1):\n    User 0:" + b"x" * 32_000,
    ),
    ("pm-install", b"Failure [INSTALL_FAILED_TEST_ONLY: x]\n" * 800),
    ("dumpsys-secure", b"Window #0 x\n fl=" + SPACES + b"x"),
    ("dumpsys-keyboard", b"Window #0 InputMethod\nmFrame=[0,0][" + DIGITS + b",1]"),
    (
        "dumpsys-keyboard",
        b"Window #0 InputMethod\ntouchable region=SkRegion((0,0,1," + DIGITS + b"))",
    ),
    (
        "dumpsys-notification",
        b"    NotificationRecord(0x1: pkg=org.example.mail user=UserHandle{0} id=12 tag=\n" * 400,
    ),
    ("content-rows", b"Row: 0 _id=" + DIGITS + b", body="),
    ("content-rows", b"Row: 0 body=" + SPACES),
    ("content-rows", b"a." * 15_000 + b"Exception"),
    ("exit-info", b"ApplicationExitInfo #0: " + b"timestamp=" * 3000),
    ("pm-packages", b"package:/a=b versionCode:" + DIGITS),
    ("pm-packages", b"package:a.b uid:" + DIGITS),
    ("stat", b"1 " + DIGITS + b" /a"),
    ("ps", DIGITS + b" org.example.coffee"),
    ("ps", b"1 x" + SPACES + b"x"),
    ("logcat", b"02-11 09:41:10.123 " + DIGITS + b" 1 I Tag: words"),
    ("logcat", b"02-11 09:41:10.123 " + DIGITS + b" 1 1 I Tag: words"),
    ("logcat", b"02-11 09:41:10.123 1 1 I " + SPACES + b"x"),
    ("logcat-zone", b"0001-01-01 00:00:00.000 +2359 1 1 I Tag: words"),
    ("logcat-zone", b"9999-12-31 23:59:59.999 -2359 1 1 I Tag: words"),
    ("logcat", b"02-11 09:41:10.123 1 1 I Tag: words\n" + b"x\n" * 16_000),
    ("apps-file", b"[" * 30_000),
    ("scene", b"about = " + DIGITS),
    ("scene", b"about = " + b"[" * 5000),
    ("settings", b"port = " + DIGITS),
    ("settings", b"port = " + b"[" * 5000),
    ("storage", b"location = " + DIGITS),
    ("storage", b"location = " + b"[" * 5000),
    ("settings", b"x." * 8000 + b"x = 1"),
    ("scene", b"[" + b"x." * 8000 + b"x]"),
    ("settings-edit", b"port = " + b"[" * 5000),
    ("settings-edit", b"sms = {day = 1979-05-27} "),
    ("settings-edit", b'[sms]\nallow = [\n  "+36' + b"#" * 4000 + b'",\n]\n'),
    ("intents", b"3 receivers found:\n  Receiver #0:\n      x" + b"A" * 30_000),
    ("df-getprop", b"[ro.build.v\n" * 2700),
)
"""Inputs of which each once raised what it may not raise, or took too long."""


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_changed_inputs_are_read_or_refused(target: Target) -> None:
    assert run_cases(target, 1, range(CASES)).faults == {}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_inputs_that_others_are_made_of_are_valid(target: Target) -> None:
    outcomes = [attempt(target, seed) for seed in target.sources.seeds]
    assert [outcome.fault for outcome in outcomes if outcome.fault] == []
    assert "accepted" in {outcome.kind for outcome in outcomes}


@pytest.mark.parametrize(
    ("name", "data"), FOUND, ids=[f"{name}-{data[:20]!r}" for name, data in FOUND]
)
def test_an_input_that_broke_a_parser_is_read_or_refused(name: str, data: bytes) -> None:
    assert attempt(BY_NAME[name], data).fault == ""


def test_a_case_is_the_same_whatever_ran_before() -> None:
    target = BY_NAME["json-rpc"]
    cases = [target.case(7, number) for number in range(20)]
    assert [target.case(7, number) for number in (19, 3)] == [cases[19], cases[3]]
    assert len(set(cases)) == 20
    assert target.case(8, 3) != cases[3]


def test_the_inputs_are_the_same_on_every_machine() -> None:
    # Made again here: a key or a time among them would differ.
    for target in TARGETS:
        assert list(target.seeds()) == list(target.sources.seeds), target.name


def test_each_target_gets_its_share_of_the_cases() -> None:
    given = shares(1_000_000)
    assert 1_000_000 <= sum(given.values()) < 1_000_000 + len(TARGETS)
    assert min(shares(1).values()) == 1


# Whether the fuzzer notices


def parser(run: object, *errors: type[Exception]) -> Target:
    return Target("parser", run, lambda: [b"12", b"x"], errors)  # type: ignore[arg-type]


def test_an_error_that_a_parser_may_not_raise_is_a_fault() -> None:
    assert attempt(parser(int), b"x").fault.endswith(
        "invalid literal for int() with base 10: b'x'\n"
    )
    assert attempt(parser(int, ValueError), b"x").kind == "ValueError"
    assert attempt(parser(int, ValueError), b"x").fault == ""
    tally = run_cases(parser(int), 1, range(50))
    assert len(tally.faults) == workers.SHOWN
    assert tally.cases == max(tally.faults) + 1


def compute(data: bytes) -> None:
    begun = time.thread_time()
    while time.thread_time() - begun < MOST_SECONDS * 1.1:
        pass


@pytest.mark.slow
def test_processor_time_is_limited() -> None:
    assert attempt(parser(compute), b"").fault.endswith("ms of processor time")


def test_a_case_that_was_slow_once_is_tried_again() -> None:
    turns = itertools.count()

    def compute_once(data: bytes) -> None:
        if next(turns) == 0:
            compute(data)

    assert attempt(parser(compute_once), b"").fault == ""
    assert next(turns) == 2


def endless(data: bytes) -> None:
    for _ in itertools.count():
        pass


def greedy(data: bytes) -> None:
    bytearray(workers.ADDRESSES * 2)


def growing(data: bytes) -> None:
    KEPT.append(bytearray(b"x" * 1024 * 1024) * 8)


def dying(data: bytes) -> None:
    import os

    os._exit(3)


KEPT: list[bytearray] = []


@pytest.mark.matrix
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize(
    ("run", "fault"),
    [
        (endless, "it took over 0.5 s of processor time"),
        (greedy, "MemoryError"),
        (growing, "made the process grow by"),
        (dying, "the process ended with exit code 3"),
    ],
)
def test_a_worker_that_does_not_come_back_names_its_case(
    run: object, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "ENDLESS_SECONDS", 0.5)
    [(_, _, tally)] = run_all([(parser(run), range(20, 40))], 1, 1)
    assert fault in next(iter(tally.faults.values()))
    assert min(tally.faults) == 20
