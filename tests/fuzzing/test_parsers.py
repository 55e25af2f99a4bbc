"""Every parser reads or refuses what others wrote: a few cases of each, those that once broke one,
and whether the fuzzer itself would notice. `make fuzz WHAT=parsers` runs as many as one likes."""

import itertools
import signal

import pytest

from . import trial, workers
from .targets import TARGETS, shares
from .trial import LARGE, Target, attempt
from .workers import run_all, run_cases

CASES = 12
BY_NAME = {target.name: target for target in TARGETS}
DIGITS = b"9" * 5000
"""More than Python converts to a number."""

FOUND: tuple[tuple[str, bytes], ...] = (
    ("adb-server", b"OKAY-001"),
    ("dumpsys-tasks", b"topResumedActivity=ActivityRecord{1 u0 a/.B t" + DIGITS + b"}"),
    ("dumpsys-tasks", b"* Recent #0: Task{a #" + DIGITS + b" \n"),
    ("dumpsys-keyboard", b"Window #0 InputMethod\nmFrame=[0,0][" + DIGITS + b",1]"),
    (
        "dumpsys-keyboard",
        b"Window #0 InputMethod\ntouchable region=SkRegion((0,0,1," + DIGITS + b"))",
    ),
    ("content-rows", b"Row: 0 _id=" + DIGITS + b", body="),
    ("pm-packages", b"package:/a=b versionCode:" + DIGITS),
    ("pm-packages", b"package:a.b uid:" + DIGITS),
    ("stat", b"1 " + DIGITS + b" /a"),
    ("ps", DIGITS + b" org.example.coffee"),
    ("logcat", b"02-11 09:41:10.123 " + DIGITS + b" 1 I Tag: words"),
    ("logcat", b"02-11 09:41:10.123 " + DIGITS + b" 1 1 I Tag: words"),
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
)
"""Inputs of which each once raised what it may not raise, or took too many lines."""

REPEATED: tuple[tuple[str, bytes, bytes, bytes], ...] = (
    ("dumpsys-secure", b"Window #0 x", b" ", b"x"),
    (
        "dumpsys-package",
        b"Packages:\n  Package [org.example.notes] (1):\n    User 0:",
        b"x",
        b"",
    ),
    ("pm-install", b"", b"Failure [INSTALL_FAILED_TEST_ONLY: x]\n", b""),
    ("dumpsys-secure", b"Window #0 x\n fl=", b" ", b"x"),
    (
        "dumpsys-notification",
        b"",
        b"    NotificationRecord(0x1: pkg=org.example.mail user=UserHandle{0} id=12 tag=\n",
        b"",
    ),
    ("content-rows", b"Row: 0 body=", b" ", b""),
    ("content-rows", b"", b"a.", b"Exception"),
    ("exit-info", b"ApplicationExitInfo #0: ", b"timestamp=", b""),
    ("ps", b"1 x", b" ", b"x"),
    ("logcat", b"02-11 09:41:10.123 1 1 I ", b" ", b"x"),
    ("intents", b"3 receivers found:\n  Receiver #0:\n      x", b"A", b""),
    ("df-getprop", b"", b"[ro.build.v\n", b""),
)
"""A beginning, what is repeated, and an end: each took a regular expression as long as the square
of its length."""


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


@pytest.mark.parametrize(
    ("name", "begin", "repeated", "end"),
    REPEATED,
    ids=[f"{name}-{begin[:20]!r}-{repeated[:20]!r}" for name, begin, repeated, _ in REPEATED],
)
def test_a_long_repetition_is_read_in_proportion_to_its_length(
    name: str, begin: bytes, repeated: bytes, end: bytes
) -> None:
    """In proportion to its square it would take hours."""
    assert attempt(BY_NAME[name], begin + repeated * (LARGE // len(repeated)) + end).fault == ""


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


def square(data: bytes) -> None:
    for _ in data:
        for _ in data:
            pass


def test_lines_are_limited_in_proportion_to_the_input() -> None:
    assert attempt(parser(square), b"x" * 100).fault == ""
    assert attempt(parser(square), b"x" * 400).fault.endswith(" lines of Python")


def test_lines_that_only_the_first_case_takes_are_not_counted() -> None:
    turns = itertools.count()

    def load_once(data: bytes) -> None:
        if next(turns) == 0:
            square(b"x" * 300)

    assert attempt(parser(load_once), b"").fault == ""
    assert next(turns) == 3  # once more for the lines, and once for the bytes


def test_bytes_are_limited() -> None:
    def ask(data: bytes) -> None:
        bytearray(trial.MOST_BYTES * len(data))

    assert attempt(parser(ask), b"x").fault == ""
    assert attempt(parser(ask), b"xx").fault.startswith("it asked for 50")


def test_some_cases_are_large() -> None:
    sizes = [len(BY_NAME["wm"].case(1, number)) for number in range(500)]
    assert max(sizes) == LARGE


def endless(data: bytes) -> None:
    for _ in itertools.count():
        pass


def stuck(data: bytes) -> None:
    signal.pause()


def greedy(data: bytes) -> None:
    bytearray(workers.ADDRESSES)


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
        (endless, "more than 100000 lines of Python"),
        (stuck, "it did not end within 1 s"),
        (greedy, "MemoryError"),
        (growing, "bytes in use"),
        (dying, "the process ended with exit code 3"),
    ],
)
def test_a_worker_that_does_not_come_back_names_its_case(
    run: object, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "ENDLESS", 100_000)
    if run is stuck:  # which never ends by itself
        monkeypatch.setattr(workers, "HANG", 1)
    [(_, _, tally)] = run_all([(parser(run), range(20, 40))], 1, 1)
    assert fault in next(iter(tally.faults.values()))
    assert min(tally.faults) == 20
