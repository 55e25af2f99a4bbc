"""logcat, and the output of ps, pidof and am about the processes of apps."""

import asyncio
import struct
from datetime import timedelta

import pytest
from wire_client import until

from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.shell import Shell
from handheld_virtual.sh.streams import Collector, Given
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.system.logs import Logs, Writer
from handheld_virtual.system.wall import Wall
from harness.polling import HANG

LIMIT = 16 * 1024 * 1024
APP = Writer(4321, 10123, 4330)
SYSTEM = Writer(1205, 1000)
MAIN = "--------- beginning of main\n"
KEEPER = "dev.handheld.keeper"
CALCULATOR = "com.android.calculator2"


async def shell(phone: VirtualPhone, command: str) -> tuple[str, str, int]:
    stdout, stderr = Collector(LIMIT), Collector(LIMIT)
    async with asyncio.timeout(HANG):
        code = await Shell(phone, Given(b""), stdout, stderr, {}).run(command)
    return bytes(stdout.data).decode(), bytes(stderr.data).decode(), code


@pytest.fixture
async def phone() -> VirtualPhone:
    """A phone with four entries in its log, a second apart."""
    clock = ManualClock()
    phone = VirtualPhone(clock=clock)
    logs = phone.world.logs
    logs.clear()
    logs.write(APP, "V", "App", "one")
    await clock.advance(1000)
    logs.write(SYSTEM, "I", "ActivityManager", "two", "system")
    await clock.advance(1000)
    logs.write(Writer(400, 2000), "W", "App", "three\nlines\n")
    await clock.advance(1234.567)
    logs.write(APP, "F", "App:Sub", "four", "crash")
    return phone


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (
            "-d",
            [
                "--------- beginning of main",
                "02-11 09:41:00.000  4321  4330 V App     : one",
                "--------- beginning of system",
                "02-11 09:41:01.000  1205  1205 I ActivityManager: two",
                "02-11 09:41:02.000   400   400 W App     : three",
                "02-11 09:41:02.000   400   400 W App     : lines",
                "--------- beginning of crash",
                "02-11 09:41:03.234  4321  4330 F App:Sub : four",
            ],
        ),
        (
            "-d -b main -v time",
            [
                "--------- beginning of main",
                "02-11 09:41:00.000 V/App     ( 4321): one",
                "02-11 09:41:02.000 W/App     (  400): three",
                "02-11 09:41:02.000 W/App     (  400): lines",
            ],
        ),
        ("-t 1 -v brief", ["--------- beginning of crash", "F/App:Sub ( 4321): four"]),
        ("-t 1 -v tag", ["--------- beginning of crash", "F/App:Sub : four"]),
        ("-t 1 -v raw", ["--------- beginning of crash", "four"]),
        ("-t 1 -v process", ["--------- beginning of crash", "F( 4321) four  (App:Sub)"]),
        ("-t 1 -v thread", ["--------- beginning of crash", "F( 4321: 4330) four"]),
        (
            "-b main -d -v long",
            [
                "--------- beginning of main",
                "[ 02-11 09:41:00.000  4321: 4330 V/App      ]",
                "one",
                "",
                "[ 02-11 09:41:02.000   400:  400 W/App      ]",
                "three",
                "lines",
                "",
            ],
        ),
        (
            "-b main -d -v brief,color",
            [
                "--------- beginning of main",
                "\x1b[38;5;231mV/App     ( 4321): one\x1b[0m",
                "\x1b[38;5;166mW/App     (  400): three\x1b[0m",
                "\x1b[38;5;166mW/App     (  400): lines\x1b[0m",
            ],
        ),
        ("-d -e '^t.[or]' -v raw", ["--------- beginning of system", "two",
                                    "--------- beginning of main", "three", "lines"]),
        ("-d --regex='o\\d*u' -v raw", ["--------- beginning of crash", "four"]),
        ("-d -m 2 -v raw", [MAIN.strip(), "one", "--------- beginning of system", "two"]),
        ("-d -e t --max-count=1 --print -v raw",
         [MAIN.strip(), "one", "--------- beginning of system", "two"]),
        ("-d -D -v raw", [MAIN.strip(), "one", "--------- beginning of system", "two",
                          "--------- switch to main", "three", "lines",
                          "--------- beginning of crash", "four"]),
        ("-d -b events,radio,kernel", []),
        ("-d -b all -v tag *:F", ["--------- beginning of crash", "F/App:Sub : four"]),
        ("-t 1 -v brief -v uid", ["--------- beginning of crash", "F/App:Sub (10123: 4321): four"]),
        (
            "-d -v threadtime -v year -v zone -v uid --pid=400",
            [
                "--------- beginning of main",
                "2026-02-11 15:11:02.000 +0530 shell   400   400 W App     : three",
                "2026-02-11 15:11:02.000 +0530 shell   400   400 W App     : lines",
            ],
        ),
        (
            "-d -v threadtime,uid,usec --uid 10123 *:D",
            [
                "--------- beginning of crash",
                "02-11 09:41:03.234567 10123  4321  4330 F App:Sub : four",
            ],
        ),
        (
            "-d -b system -v epoch",
            [
                "--------- beginning of system",
                "         1770802861.000  1205  1205 I ActivityManager: two",
            ],
        ),
        (
            "-d -b system -v UTC",
            [
                "--------- beginning of system",
                "02-11 09:41:01.000 +0000  1205  1205 I ActivityManager: two",
            ],
        ),
        ("-d -s App:I", [MAIN.strip(), "02-11 09:41:02.000   400   400 W App     : three",
                         "02-11 09:41:02.000   400   400 W App     : lines"]),
        ("-d App:S *:F", ["--------- beginning of crash",
                          "02-11 09:41:03.234  4321  4330 F App:Sub : four"]),
        ("-d *:S", []),
        # The count is applied before priorities are filtered, as on a real phone.
        ("-t 2 *:I -b main", ["--------- beginning of main",
                              "02-11 09:41:02.000   400   400 W App     : three",
                              "02-11 09:41:02.000   400   400 W App     : lines"]),
        ("-d -T '02-11 09:41:03.000'", ["--------- beginning of crash",
                                        "02-11 09:41:03.234  4321  4330 F App:Sub : four"]),
        ("-t '2026-02-11 09:41:03.000'", ["--------- beginning of crash",
                                          "02-11 09:41:03.234  4321  4330 F App:Sub : four"]),
        ("-t 1770802863.000", ["--------- beginning of crash",
                               "02-11 09:41:03.234  4321  4330 F App:Sub : four"]),
        ("-t '2027-01-01 00:00:00.000'", []),
    ],
)  # fmt: skip
async def test_logcat_prints_what_the_options_select(
    phone: VirtualPhone, options: str, lines: list[str]
) -> None:
    if "zone" in options:
        phone.set_zone("Asia/Kolkata", timedelta(hours=5, minutes=30))
    assert await shell(phone, f"logcat {options}") == ("".join(f"{x}\n" for x in lines), "", 0)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("-z", "Unknown option '-z'."),
        ("-v pretty", "Invalid -v 'pretty'."),
        ("-b nothing", "Unknown -b buffer 'nothing'."),
        ("-t yesterday", "-t 'yesterday' not in time format."),
        ("-T '02-30 00:00:00.000'", "-T '02-30 00:00:00.000' not in time format."),
        ("--pid=x", "pid x out of range."),
        ("--pid=0", "pid 0 out of range."),
        ("-m 0", "-m '0' isn't an integer greater than zero."),
        ("-m 1 -t 1", "Cannot use -m (--max-count) and -t together."),
        ("-d -e '(a*)*'", "bad regex '(a*)*': repetition of a repetition"),
        ("-d App:Q", "Invalid filter expression 'App:Q'."),
        ("-d :I", "Invalid filter expression ':I'."),
        ("-t", "Option '-t' needs an argument."),
    ],
)
async def test_logcat_reports_invalid_options(
    phone: VirtualPhone, options: str, complaint: str
) -> None:
    assert await shell(phone, f"logcat {options}") == ("", f"logcat: {complaint}\n", 1)


@pytest.mark.parametrize(
    ("api", "options", "complaint"),
    [
        (30, "-v pretty", "Invalid parameter 'pretty' to -v."),
        (30, "-b nothing", "Unknown buffer 'nothing' listed for -b."),
        (32, "--uid=1000", "Unknown option '--uid=1000'."),
    ],
)
async def test_older_logcat_has_other_error_messages(
    api: int, options: str, complaint: str
) -> None:
    phone = VirtualPhone(clock=ManualClock(), api=api)
    assert await shell(phone, f"logcat {options}") == ("", f"logcat: {complaint}\n", 1)


@pytest.mark.parametrize(
    ("api", "options", "lines"),
    [
        # Up to Android 13, a buffer is announced when it is read, even if none of its lines is
        # printed; up to Android 10, a single buffer is not announced.
        (28, "-b main", []),
        (30, "-b main", ["--------- beginning of main"]),
        (30, "", ["--------- beginning of main", "--------- beginning of system"]),
        (34, "", []),
    ],
)
async def test_buffers_are_announced_as_on_each_release(
    api: int, options: str, lines: list[str]
) -> None:
    phone = VirtualPhone(clock=ManualClock(), api=api)
    phone.world.logs.clear()
    phone.world.logs.write(APP, "I", "App", "one")
    phone.world.logs.write(SYSTEM, "I", "ActivityManager", "two", "system")
    printed = "".join(f"{line}\n" for line in lines)
    assert await shell(phone, f"logcat -d -s Nobody {options}") == (printed, "", 0)


async def test_count_of_zero_is_one_with_a_warning(phone: VirtualPhone) -> None:
    assert await shell(phone, "logcat -t 0 -v raw") == (
        "--------- beginning of crash\nfour\n",
        "WARNING: -t 0 invalid, setting to 1\n",
        0,
    )


async def test_binary_entries_are_those_of_the_log_daemon(phone: VirtualPhone) -> None:
    stdout, stderr = Collector(LIMIT), Collector(LIMIT)
    code = await Shell(phone, Given(b""), stdout, stderr, {}).run("logcat -B -b main -t 1")
    message = b"\x05App\0three\nlines\n\0"
    header = struct.pack("<HHiIIIII", len(message), 28, 400, 400, 1770802862, 0, 0, 2000)
    assert (bytes(stdout.data), bytes(stderr.data), code) == (header + message, b"", 0)


@pytest.mark.parametrize(
    ("api", "used"), [(30, "(26 B consumed)"), (34, "(26 B consumed, 26 B readable)")]
)
async def test_logcat_prints_buffer_sizes(api: int, used: str) -> None:
    phone = VirtualPhone(clock=ManualClock(), api=api)
    phone.world.logs.clear()
    phone.world.logs.write(SYSTEM, "I", "ActivityManager", "two four", "system")
    assert await shell(phone, "logcat -g -b system") == (
        f"system: ring buffer is 38 MiB {used}, max entry is 5120 B, max payload is 4068 B\n",
        "",
        0,
    )


async def test_logcat_prints_its_help(phone: VirtualPhone) -> None:
    stdout, stderr, code = await shell(phone, "logcat --help")
    assert (stdout, code) == ("", 0)
    for word in ("--regex", "--uid", "threadtime", "crash"):
        assert word in stderr


async def test_logcat_clears_the_given_buffers(phone: VirtualPhone) -> None:
    assert await shell(phone, "logcat -c -b main,system") == ("", "", 0)
    assert [entry.message for entry in phone.world.logs.read()] == ["four"]
    assert await shell(phone, "logcat -c; logcat -d") == ("", "", 0)


async def test_logcat_follows_until_it_is_killed(phone: VirtualPhone) -> None:
    stdout, stderr = Collector(LIMIT), Collector(LIMIT)
    command = "logcat -T 1 -v raw *:I"
    following = asyncio.create_task(Shell(phone, Given(b""), stdout, stderr, {}).run(command))
    await until(lambda: b"four" in stdout.data)
    logs = phone.world.logs
    logs.write(APP, "D", "App", "too low")
    logs.write(APP, "I", "App", "live")
    await until(lambda: b"live" in stdout.data)
    logs.write(APP, "E", "App", "and on")
    await until(lambda: b"and on" in stdout.data)
    phone.kill("logcat")
    assert await following == 137
    assert (
        bytes(stdout.data).decode() == f"--------- beginning of crash\nfour\n{MAIN}live\nand on\n"
    )


def test_full_buffer_drops_its_oldest_entries() -> None:
    logs = Logs(Wall(lambda: 0).now, capacity=3)
    for number in range(5):
        logs.write(APP, "I", "App", str(number))
    logs.write(APP, "I", "App", "kept", "crash")
    assert [entry.message for entry in logs.read()] == ["2", "3", "4", "kept"]


# Processes


async def names(phone: VirtualPhone) -> dict[str, tuple[str, int]]:
    """The user and pid of every process that ps lists, by name."""
    listing, _, _ = await shell(phone, "ps -A")
    rows = [line.split() for line in listing.splitlines()[1:]]
    return {row[-1]: (row[0], int(row[1])) for row in rows}


async def test_an_app_has_a_process_from_its_first_start_until_it_is_stopped() -> None:
    phone = VirtualPhone(clock=ManualClock(), api=28)
    assert CALCULATOR not in await names(phone)
    assert await shell(phone, f"pidof {CALCULATOR}") == ("", "", 1)
    await shell(phone, f"am start -n {CALCULATOR}/.Calculator")
    user, pid = (await names(phone))[CALCULATOR]
    uid = phone.world.running.uid(phone.world.apps[CALCULATOR])
    assert user == f"u0_a{uid - 10000}"
    assert await shell(phone, f"pidof -s {CALCULATOR}") == (f"{pid}\n", "", 0)
    # Back closes its last activity; the process is cached.
    phone.world.press("back")
    assert (await names(phone))[CALCULATOR] == (user, pid)
    assert await shell(phone, f"am force-stop --user 0 {CALCULATOR}") == ("", "", 0)
    assert CALCULATOR not in await names(phone)


async def test_force_stop_closes_what_is_on_the_screen() -> None:
    phone = VirtualPhone(clock=ManualClock())
    phone.world.show(CALCULATOR)
    await shell(phone, f"am force-stop {CALCULATOR}")
    assert phone.world.front.app.package == "com.android.launcher3"
    assert phone.world.running.pids(CALCULATOR) == []


async def test_am_kill_kills_background_processes_only() -> None:
    phone = VirtualPhone(clock=ManualClock())
    phone.world.show(CALCULATOR)
    (pid,) = phone.world.running.pids(CALCULATOR)
    await shell(phone, f"am kill {CALCULATOR}")
    assert phone.world.running.pids(CALCULATOR) == [pid]
    phone.world.press("home")
    await shell(phone, f"am kill {CALCULATOR}")
    assert phone.world.running.pids(CALCULATOR) == []
    # The task was kept: it is shown again unchanged, in another process.
    phone.world.show(CALCULATOR)
    (again,) = phone.world.running.pids(CALCULATOR)
    assert again > pid


async def test_persistent_app_is_restarted() -> None:
    phone = VirtualPhone(clock=ManualClock())
    (pid,) = phone.world.running.pids(KEEPER)
    phone.world.logs.clear()
    await shell(phone, f"am force-stop {KEEPER}")
    (again,) = phone.world.running.pids(KEEPER)
    uid = phone.world.running.uid(phone.world.apps[KEEPER])
    app = f"u0a{uid - 10000}"
    assert again > pid
    assert [(entry.tag, entry.message) for entry in phone.world.logs.read()] == [
        ("ActivityManager", f"Force stopping {KEEPER} appid={uid} user=0: from pid 400"),
        (
            "ActivityManager",
            f"Killing {pid}:{KEEPER}/{app} (adj 900): stop {KEEPER} due to from pid 400",
        ),
        ("ActivityManager", f"Re-adding persistent process {KEEPER}"),
        ("ActivityManager", f"Start proc {again}:{KEEPER}/{app} for restart"),
    ]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("am force-stop com.nothing", ("", "", 0)),
        ("am kill com.nothing", ("", "", 0)),
        (
            "am force-stop",
            (
                "",
                "\nException occurred while executing 'force-stop':\n"
                'java.lang.IllegalArgumentException: Argument expected after "force-stop"\n',
                255,
            ),
        ),
        ("am kill -x y", ("", "Error: Unknown option: -x\n", 255)),
        ("pidof system_server zygote64", ("1205 310\n", "", 0)),
        ("pidof -s system_server zygote64", ("1205\n", "", 0)),
        ("kill 1205", ("", "kill: 1205: Operation not permitted\n", 1)),
        ("date", ("Wed Feb 11 09:41:00 GMT 2026\n", "", 0)),
        ("date +%s", ("1770802860\n", "", 0)),
        ("getprop persist.sys.timezone", ("GMT\n", "", 0)),
    ],
)
async def test_commands_on_apps_and_time_answer(
    command: str, expected: tuple[str, str, int]
) -> None:
    assert await shell(VirtualPhone(clock=ManualClock()), command) == expected


async def test_the_zone_is_the_same_wherever_it_is_seen() -> None:
    phone = VirtualPhone(clock=ManualClock())
    phone.set_zone("Asia/Kolkata", timedelta(hours=5, minutes=30))
    assert await shell(phone, "getprop persist.sys.timezone; date '+%H:%M %Z'") == (
        "Asia/Kolkata\n15:11 Asia/Kolkata\n",
        "",
        0,
    )
    shown = [node.text for window in phone.world.automation.read_windows() for node in window.nodes]
    assert "15:11" in shown
