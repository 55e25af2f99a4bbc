"""`dumpsys dropbox`, `meminfo`, `gfxinfo` and `cpuinfo`, in the format of each release."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from phone_shell import new_phone, run

import fixtures
from handheld_virtual.packages import deaths
from handheld_virtual.packages.error_reports import JavaException
from handheld_virtual.phone import VirtualPhone

APP = "com.android.calculator2"
RELEASES = [26, 28, 29, 30, 33, 34, 35, 36]


async def printed(phone: VirtualPhone, line: str) -> str:
    return (await run(phone, line))[0]


def crash(phone: VirtualPhone) -> None:
    phone.world.bring(APP)
    thrown = JavaException("java.lang.ArithmeticException", "0 / 0", "a.B.c(B.java:1)")
    phone.world.running.crash(phone.world.apps[APP], thrown)


@pytest.mark.parametrize("api", RELEASES)
async def test_a_crash_is_dropped_with_the_heads_of_the_release(api: int) -> None:
    phone = new_phone(api)
    crash(phone)
    text = await printed(phone, "dumpsys dropbox --print system_app_crash")
    head, _, rest = text.partition("=" * 40 + "\n")
    assert head.startswith("Drop box contents: 1 entries\n")
    assert ("Max entries: 1000\n" in head) is (api >= 28)
    assert ("Low priority tags: {" in head) is (api >= 30)
    assert "Searching for: system_app_crash\n" in head
    entry, *lines = rest.split("\n")
    assert re.fullmatch(r"2026-02-11 09:41:00 system_app_crash \(text, \d+ bytes\)", entry)
    names = [line.partition(": ")[0] for line in lines[: lines.index("")]]
    assert names == [
        *(["SystemUptimeMs"] if api >= 35 else []),
        *("Process", "PID"),
        *(["UID"] if api >= 30 else []),
        *(["Frozen"] if api >= 33 else []),
        *("Flags", "Package", "Foreground"),
        *(["Process-Runtime"] if api >= 30 else []),
        *(["Timestamp"] if api >= 35 else []),
        "Build",
        *(["PageSize"] if api >= 35 else []),
    ]
    assert lines[lines.index("") :] == [
        "",
        "java.lang.ArithmeticException: 0 / 0",
        "\tat a.B.c(B.java:1)",
        "",
        "",
    ]


@pytest.mark.parametrize("api", [28, 33, 34])
async def test_entries_are_listed_with_files_or_how_they_begin(api: int) -> None:
    phone = new_phone(api)
    crash(phone)
    files = (await printed(phone, "dumpsys dropbox --file")).splitlines()
    assert re.fullmatch(r"    /data/system/dropbox/system_app_crash@\d{13}\.txt", files[-1])
    listed = (await printed(phone, "dumpsys dropbox")).splitlines()
    assert listed[-1].startswith("Usage: dumpsys dropbox ")
    begins = [line for line in listed if line.startswith("    Process: ")]
    assert (begins != []) is (api < 34)
    assert all(line.endswith(" ...") and "/PID: " in line for line in begins)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("system_app_crash", True),
        ("2026-02-11", True),
        ("2026-02-11 09:41", True),
        ("09:41:00 system_app_crash", True),
        ("data_app_crash", False),
        ("2026-02-11 09:42", False),
        ("system_app", False),
    ],
)
async def test_entries_are_found_by_tag_date_and_time(words: str, found: bool) -> None:
    phone = new_phone()
    crash(phone)
    text = await printed(phone, f"dumpsys dropbox --print {words}")
    assert ("0 / 0" in text, "(No entries found.)" in text) == (found, not found)


async def test_the_drop_box_forgets_after_three_days() -> None:
    phone = new_phone()
    crash(phone)
    phone.world.wall.jump(timedelta(days=3, seconds=1))
    assert "Drop box contents: 0 entries" in await printed(phone, "dumpsys dropbox")


@pytest.mark.matrix
async def test_a_large_report_is_compressed_and_the_oldest_give_way() -> None:
    phone = new_phone()
    for number in range(3):
        phone.world.dropbox.add("data_app_crash", f"{number}\n" + "x" * 20_000)
    assert " data_app_crash (compressed text, " in await printed(phone, "dumpsys dropbox")
    for number in range(1200):
        phone.world.dropbox.add("data_app_anr", str(number))
    entries = phone.world.dropbox.entries()
    assert (len(entries), entries[0].tag) == (1000, "data_app_anr")


@pytest.mark.parametrize("api", [26, 29, 30, 31, 36])
async def test_a_native_crash_is_in_the_log_the_drop_box_and_the_exits(api: int) -> None:
    phone = new_phone(api)
    phone.world.bring(APP)
    [pid] = phone.world.running.pids(APP)
    deaths.crash_natively(phone.world, phone.world.apps[APP], 6, "no beans")
    log = (await printed(phone, "logcat -d -b crash -v raw")).splitlines()
    assert f"pid: {pid}, tid: {pid}, name: oid.calculator2  >>> {APP} <<<" in log
    assert "Abort message: 'no beans'" in log
    assert any(line.startswith("Cmdline: ") for line in log) is (api >= 31)
    assert any(line.startswith("uid: ") for line in log) is (api >= 29)
    box = await printed(phone, "dumpsys dropbox --print")
    assert " system_app_native_crash (text, " in box
    assert " SYSTEM_TOMBSTONE (text, " in box
    if api >= 30:
        exits = await printed(phone, f"dumpsys activity exit-info {APP}")
        assert "reason=5 (APP CRASH(NATIVE))" in exits
        assert "status=6" in exits
        assert "importance=100" in exits


async def test_a_kill_for_memory_is_in_the_log_and_the_exits() -> None:
    phone = new_phone()
    phone.world.bring(APP)
    [pid] = phone.world.running.pids(APP)
    deaths.kill_for_memory(phone.world, phone.world.apps[APP])
    assert phone.world.front.app.package == "com.android.launcher3"
    exits = await printed(phone, f"dumpsys activity exit-info {APP}")
    assert "reason=3 (LOW_MEMORY)" in exits
    assert "description=null" in exits
    log = await printed(phone, "logcat -d -v raw")
    assert f"Kill '{APP}' ({pid}), uid " in log
    assert f"Process {APP} (pid {pid}) has died: fg  TOP" in log
    assert f"Killing {pid}" not in log


_FAILING_APP = """def tick():
    raise ValueError("from Python")
"""


@pytest.mark.parametrize("folder", ["/home/ada/apps", "/home/ada/handheld/apps"])
async def test_what_an_app_in_python_raises_has_its_own_frames(folder: str) -> None:
    phone = new_phone()
    phone.world.bring(APP)
    app: dict[str, Callable[[], None]] = {}
    exec(compile(_FAILING_APP, f"{folder}/clock.py", "exec"), app)
    try:
        app["tick"]()
    except ValueError as problem:
        phone.world.running.crash(phone.world.apps[APP], problem)
    log = await printed(phone, "logcat -d -b crash -v raw")
    assert "java.lang.RuntimeException: from Python" in log
    assert f"\tat {APP}.tick(clock.py:2)" in log


# Resource usage


def shape(text: str) -> list[str]:
    """The lines without their numbers."""
    return [re.sub(r"[\d,]+", "#", line).split("[")[0].rstrip() for line in text.splitlines()]


@pytest.mark.parametrize(("api", "fixture"), [(26, 28), (29, 28), (30, 34), (36, 34)])
async def test_memory_is_printed_as_by_the_release(api: int, fixture: int) -> None:
    phone = new_phone(api)
    phone.world.bring(APP)
    kept = fixtures.text(f"dumpsys/meminfo-api{fixture}.txt").partition(
        "\n\n** MEMINFO in pid 2051"
    )[0]
    kept = kept.partition("         AppContexts:")[0]
    text = (await printed(phone, f"dumpsys meminfo {APP}")).partition("         AppContexts:")[0]

    def spaced(lines: list[str]) -> list[list[str]]:
        return [re.sub(r" +", " ", line).split() for line in lines]

    assert spaced(shape(text)) == spaced(shape(kept))
    assert len(text.splitlines()[5]) == len(kept.splitlines()[5])


async def test_what_does_not_run_has_no_memory_and_no_frames() -> None:
    phone = new_phone()
    for service in ("meminfo", "gfxinfo"):
        assert await printed(phone, f"dumpsys {service} a.b") == "No process found for: a.b\n"


async def test_frames_are_counted_until_they_are_reset() -> None:
    phone = new_phone()
    phone.world.bring(APP)
    text = await printed(phone, f"dumpsys gfxinfo {APP} reset")
    assert "Total frames rendered: 100\nJanky frames: 4 (4.00%)\n" in text
    text = await printed(phone, f"dumpsys gfxinfo {APP}")
    assert "Total frames rendered: 0\nJanky frames: 0 (nan%)\n" in text


async def test_processes_that_do_something_have_a_share_of_the_processor() -> None:
    phone = new_phone()
    phone.world.bring(APP)
    [pid] = phone.world.running.pids(APP)
    usage = phone.world.usages.of(APP)
    usage.user_permille, usage.kernel_permille = 104, 30
    lines = (await printed(phone, "dumpsys cpuinfo")).splitlines()
    assert lines[0].startswith("Load: ")
    assert lines[2:] == [
        f"  13% {pid}/{APP}: 10% user + 3% kernel / faults: 120 minor",
        "13% TOTAL: 10% user + 3% kernel",
    ]


@pytest.mark.parametrize(("api", "whom"), [(33, ""), (34, " for user 0")])
async def test_the_log_says_for_whom_an_activity_is_displayed(api: int, whom: str) -> None:
    phone = new_phone(api)
    phone.world.bring(APP)
    assert f"Displayed {APP}/.Calculator{whom}: +0ms" in await printed(phone, "logcat -d -v raw")
