"""The virtual phone's shell and commands: input and output."""

import asyncio
import contextlib
import hashlib
import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from wire_client import until

from handheld_virtual.files.entry import ROOT
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.shell import Shell
from handheld_virtual.sh.streams import Collector, Discard, Given, Pipe
from handheld_virtual.sh.syntax import parse
from handheld_virtual.sh.words import SyntaxProblem
from handheld_virtual.system.clock import ManualClock
from harness.polling import HANG

SH = "/system/bin/sh"
LIMIT = 64 * 1024 * 1024


def new_phone(clock: ManualClock | None = None) -> VirtualPhone:
    return VirtualPhone(clock=clock or ManualClock())


async def run(phone: VirtualPhone, command: str, stdin: bytes = b"") -> tuple[bytes, bytes, int]:
    stdout, stderr = Collector(LIMIT), Collector(LIMIT)
    async with asyncio.timeout(HANG):
        code = await Shell(phone, Given(stdin), stdout, stderr, {}).run(command)
    return bytes(stdout.data), bytes(stderr.data), code


@pytest.mark.parametrize(
    ("command", "stdout", "stderr", "code"),
    [
        # Words and quotes
        ("echo a  b", "a b\n", "", 0),
        ("echo 'a  $b' \"c  d\"", "a  $b c  d\n", "", 0),
        (r"echo a\ b \'x\' \$y", "a b 'x' $y\n", "", 0),
        (r'echo -E "a\"b\\c\d"', 'a"b\\c\\d\n', "", 0),
        (r"echo 'a\nb\\n\d\0101'", "a\nb\\n\\dA\n", "", 0),
        (r"echo 'a\cb' c", "ab c", "", 0),  # as mksh, unlike the program echo
        (r"/system/bin/echo -e 'a\cb' c", "a", "", 0),
        (r"/system/bin/echo 'a\nb'", "a\\nb\n", "", 0),
        (r"print 'a\tb'; print -n c; print -r 'a\tb'; print -r -- -n 'x\\'",
         "a\tb\nca\\tb\n-n x\\\\\n", "", 0),
        ("print -q a", "", f"{SH}: print: -q: unknown option\n", 1),
        (r"printf '%s\n' 'a\nb\\'; printf '%b|' 'a\tb' 'c\cd' e", "a\\nb\\\\\na\tb|c", "", 0),
        ("echo ''", "\n", "", 0),
        ("echo x'y'\"z\"", "xyz\n", "", 0),
        ("echo a # a remark", "a\n", "", 0),
        ("echo a#b", "a#b\n", "", 0),
        ("echo grüße 你好 🙂", "grüße 你好 🙂\n", "", 0),
        ("echo one\\\ntwo", "onetwo\n", "", 0),
        ("", "", "", 0),
        ("   \n\n  ", "", "", 0),
        # Variables
        ("A=1; echo $A ${A}b '$A' \"$A\"", "1 1b $A 1\n", "", 0),
        ("A='x  y'; echo $A; echo \"$A\"", "x y\nx  y\n", "", 0),
        ("echo [$NONE] [${NONE:-standing in}]", "[] [standing in]\n", "", 0),
        ("A=1 env | cat > /dev/null; echo \"$A\"", "\n", "", 0),
        ("A=1; sh -c 'echo [$A]'", "[]\n", "", 0),
        ("export A=1; sh -c 'echo [$A]'", "[1]\n", "", 0),
        ("A=1 sh -c 'echo [$A]'", "[1]\n", "", 0),
        ("A=1; unset A; echo [$A]", "[]\n", "", 0),
        ("false; echo $?; echo $?", "1\n0\n", "", 0),
        ("echo $", "$\n", "", 0),
        ("echo $(echo a; echo b) \"$(echo 'c  d')\"", "a b c  d\n", "", 0),
        ("A=$(false) || echo failed", "failed\n", "", 0),
        # Lists and pipes
        ("true && echo a || echo b", "a\n", "", 0),
        ("false && echo a || echo b", "b\n", "", 0),
        ("false; echo a; true", "a\n", "", 0),
        ("! true", "", "", 1),
        ("! false", "", "", 0),
        ("echo a | cat | cat", "a\n", "", 0),
        ("false | true", "", "", 0),
        ("true | false", "", "", 1),
        ("echo a\necho b", "a\nb\n", "", 0),
        ("(cd /sdcard; pwd); pwd", "/sdcard\n/\n", "", 0),
        ("(exit 3); echo $?", "3\n", "", 0),
        ("exit 3; echo never", "", "", 3),
        ("exit 300", "", "", 44),
        ("false; exit", "", "", 1),
        ("exec echo a; echo never", "a\n", "", 0),
        ("exec false; echo never", "", "", 1),
        # Redirections
        ("echo a > /data/local/tmp/f; echo b >> /data/local/tmp/f; cat < /data/local/tmp/f",
         "a\nb\n", "", 0),
        ("nope 2>/dev/null", "", "", 127),
        ("nope 2>&1", f"{SH}: nope: inaccessible or not found\n", "", 127),
        ("echo a >&2", "", "a\n", 0),
        ("echo a > /system/f", "", f"{SH}: can't create /system/f: Read-only file system\n", 1),
        ("cat < /none", "", f"{SH}: can't open /none: No such file or directory\n", 1),
        ("cd /data/local/tmp; echo a > f; cat /data/local/tmp/f", "a\n", "", 0),
        ("cat < /dev/null", "", "", 0),
        # Patterns
        ("cd /data/local/tmp; touch a1 a2 .a3 b; echo a* *2 [ab] z*", "a1 a2 a2 b z*\n", "", 0),
        ("cd /data/local/tmp; touch a1; echo 'a'* \"a*\" a?", "a1 a* a1\n", "", 0),
        ("echo /sdcard/D*", "/sdcard/DCIM /sdcard/Documents /sdcard/Download\n", "", 0),
        # Errors
        ("nope", "", f"{SH}: nope: inaccessible or not found\n", 127),
        ("/system/bin/nope", "", f"{SH}: /system/bin/nope: inaccessible or not found\n", 127),
        ("/system/bin/echo a", "a\n", "", 0),
        ("/sdcard", "", f"{SH}: /sdcard: can't execute: Is a directory\n", 126),
        ("[[ a = a ]]", "", f"{SH}: '[[' is not supported by this phone's shell\n", 127),
        ("cat << X", "", f"{SH}: here document 'X' unclosed\n", 1),
        ("echo 'a", "", f"{SH}: no closing quote\n", 1),
        ("echo a;; echo b", "", f"{SH}: syntax error: unexpected ';;'\n", 1),
        ("| cat", "", f"{SH}: syntax error: unexpected '|'\n", 1),
        ("echo )", "", f"{SH}: syntax error: unexpected ')'\n", 1),
        ("cd /none", "", f"{SH}: cd: /none: No such file or directory\n", 2),
        ("cd /dev/null", "", f"{SH}: cd: /dev/null: Not a directory\n", 2),
        ("command -v echo ls nope", "echo\n/system/bin/ls\n", "", 1),
    ],
)  # fmt: skip
async def test_shell_runs_commands(command: str, stdout: str, stderr: str, code: int):
    assert await run(new_phone(), command) == (stdout.encode(), stderr.encode(), code)


@pytest.mark.parametrize(
    ("command", "stdout", "stderr", "code"),
    [
        ("cat a b", "one\ntwo\n", "cat: b: No such file or directory\n", 1),
        ("cat d", "", "cat: d: Is a directory\n", 1),
        ("cat -", "from stdin", "", 0),
        ("cat /data/data/x", "", "cat: /data/data/x: No such file or directory\n", 1),
        ("ls", "a\nd\n", "", 0),
        ("ls -a", ".\n..\n.hidden\na\nd\n", "", 0),
        ("ls -d d", "d\n", "", 0),
        ("ls d a", "a\n\nd:\n", "", 0),
        ("ls -l a", "-rw-rw-rw- 1 shell shell 8 1970-01-02 00:00 a\n", "", 0),
        ("ls none", "", "ls: none: No such file or directory\n", 1),
        ("ls /data", "", "ls: /data: Permission denied\n", 1),
        ("ls -Z", "", "ls: Unknown option 'Z' (see \"ls --help\")\n", 1),
        ("mkdir d", "", "mkdir: 'd': File exists\n", 1),
        ("mkdir -p d e/f/g; ls e/f", "g\n", "", 0),
        ("mkdir x/y", "", "mkdir: 'x/y': No such file or directory\n", 1),
        ("mkdir /system/x", "", "mkdir: '/system/x': Read-only file system\n", 1),
        ("mkdir", "", "mkdir: Needs 1 argument (see \"mkdir --help\")\n", 1),
        ("rm a; ls", "d\n", "", 0),
        ("rm d", "", "rm: d: is directory\n", 1),
        ("rm none", "", "rm: none: No such file or directory\n", 1),
        ("rm -f none", "", "", 0),
        ("touch d/x; rm -r d; ls", "a\n", "", 0),
        ("rm -rf /system/bin/sh", "", "rm: /system/bin/sh: Read-only file system\n", 1),
        ("rm -rf /", "", "rm: bad path /\n", 1),
        ("rmdir d; ls", "a\n", "", 0),
        ("touch d/x; rmdir d", "", "rmdir: d: Directory not empty\n", 1),
        ("mv a b; cat b", "one\ntwo\n", "", 0),
        ("mv a d; cat d/a", "one\ntwo\n", "", 0),
        ("mv none b", "", "mv: bad 'none': No such file or directory\n", 1),
        ("mv a /sdcard/a; ls; cat /sdcard/a", "d\none\ntwo\n", "", 0),
        ("cp a b; cat b a", "one\ntwo\none\ntwo\n", "", 0),
        ("cp a a; cat a", "one\ntwo\n", "cp: 'a' is 'a'\n", 0),
        ("mv a ./a; cat a", "one\ntwo\n", "mv: 'a' is './a'\n", 0),
        ("cp d e", "", "cp: Skipped dir 'd'\n", 1),
        ("touch d/x; cp -r d e; ls e", "x\n", "", 0),
        ("cp a /system/a", "", "cp: '/system/a': Read-only file system\n", 1),
        ("ln -s a l; cat l; readlink l", "one\ntwo\na\n", "", 0),
        ("chmod 600 a; stat -c %a a; chmod +x a; stat -c '%A %s' a", "600\n-rwx--x--x 8\n", "", 0),
        ("chmod 999 a", "", "chmod: bad mode '999'\n", 1),
        ("touch /data/x", "", "touch: '/data/x': Permission denied\n", 1),
        ("stat -c %n none", "", "stat: 'none': No such file or directory\n", 1),
        ("wc a", "      2       2       8 a\n", "", 0),
        ("wc -l a a", "2 a\n2 a\n4 total\n", "", 0),
        ("echo a b c | wc -w", "3\n", "", 0),
        ("head -n 1 a; head -1 a; head -c 2 a", "one\none\non", "", 0),
        ("tail -n 1 a; tail -c 3 a", "two\nwo\n", "", 0),
        ("sha256sum a", hashlib.sha256(b"one\ntwo\n").hexdigest() + "  a\n", "", 0),
        ("md5sum < a", hashlib.md5(b"one\ntwo\n").hexdigest() + "  -\n", "", 0),
        ("md5sum none", "", "md5sum: none: No such file or directory\n", 1),
        ("basename /x/y.z .z; dirname /x/y z", "y\n/x\n.\n", "", 0),
        ("printf '%s-%d\\n' a 1 b 2", "a-1\nb-2\n", "", 0),
        ("echo -n a; echo -e 'b\\tc'", "ab\tc\n", "", 0),
        ("test -f a && test -d d && [ -e a ] && [ ! -e none ] && echo yes", "yes\n", "", 0),
        ("[ a = b ] || [ 2 -gt 10 ] || echo no", "no\n", "", 0),
        ("[ a", "", f"{SH}: [: missing ]\n", 2),
        ("[ -x /system/bin/sh ] && [ ! -w /system/bin/sh ] && echo yes", "yes\n", "", 0),
        ("whoami; id -u", "shell\n2000\n", "", 0),
        ("pidof adbd nope; pidof nope", "400\n", "", 1),
        ("kill 99999", "", "kill: 99999: No such process\n", 1),
        ("kill 1", "", "kill: 1: Operation not permitted\n", 1),
        ("getprop ro.build.version.sdk; getprop none; getprop none x", "34\n\nx\n", "", 0),
        ("uname; uname -m", "Linux\naarch64\n", "", 0),
        ("sleep 1x", "", "sleep: bad number '1x'\n", 1),
        ("which ls nope", "/system/bin/ls\n", "", 1),
        ("sh -c 'exit 5'", "", "", 5),
        ("echo 'echo $0 in a file' > s; sh s", "s in a file\n", "", 0),
    ],
)  # fmt: skip
async def test_commands_answer_as_toybox_does(command: str, stdout: str, stderr: str, code: int):
    phone = new_phone()
    phone.files.now = lambda: 86400.0
    phone.files.write("/data/local/tmp/a", b"one\ntwo\n")
    phone.files.write("/data/local/tmp/.hidden", b"")
    phone.files.make_folder("/data/local/tmp/d")
    got = await run(phone, f"cd /data/local/tmp; {command}", b"from stdin")
    assert got == (stdout.encode(), stderr.encode(), code)


@pytest.mark.parametrize(
    ("command", "stdout", "stderr", "code"),
    [
        ("wm size", "Physical size: 1080x2400\n", "", 0),
        ("wm density", "Physical density: 420\n", "", 0),
        ("pm list packages calc", "package:com.android.calculator2\n", "", 0),
        ("pm path none", "", "", 1),
        ("pm frobnicate x", "Unknown command: frobnicate\n", "", 255),
        ("am start -n com.android.calculator2/.Nope",
         "Starting: Intent { cmp=com.android.calculator2/.Nope }\n",
         "Error type 3\nError: Activity class "
         "{com.android.calculator2/com.android.calculator2.Nope} does not exist.\n", 0),
        ("am start -a x.y", "Starting: Intent { act=x.y }\n",
         "Error: Activity not started, unable to resolve Intent { act=x.y flg=0x10000000 }\n", 0),
        ("am frobnicate x", "Unknown command: frobnicate\n", "", 255),
        ("monkey -p none -c android.intent.category.LAUNCHER 1", "",
         "** No activities found to run, monkey aborted.\n", 252),
        ("CLASSPATH=/data/local/tmp/none.jar app_process / dev.handheld.helper.Helper", "",
         "java.lang.ClassNotFoundException: Didn't find class \"dev.handheld.helper.Helper\" "
         "on path: DexPathList[[/data/local/tmp/none.jar]]\n", 1),
        ("app_process /", "", "Error: no class name or --zygote supplied.\n", 10),
    ],
)  # fmt: skip
async def test_androids_own_commands_print_their_output(
    command: str, stdout: str, stderr: str, code: int
):
    assert await run(new_phone(), command) == (stdout.encode(), stderr.encode(), code)


async def test_am_start_brings_an_app_to_the_front():
    phone = new_phone()
    main = "am start -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -p "
    assert (await run(phone, main + "com.android.calculator2"))[2] == 0
    assert phone.world.foreground == (
        "com.android.calculator2",
        "com.android.calculator2.Calculator",
    )
    await run(phone, "input keyevent HOME")
    assert phone.world.foreground == (
        "com.android.launcher3",
        "com.android.launcher3.uioverrides.QuickstepLauncher",
    )
    got = await run(
        phone, "monkey -p com.android.calculator2 -c android.intent.category.LAUNCHER 1"
    )
    stats = b"## Network stats: elapsed time=0ms (0ms mobile, 0ms wifi, 0ms not connected)\n"
    assert got == (b"Events injected: 1\n" + stats, b"", 0)
    assert phone.world.foreground == (
        "com.android.calculator2",
        "com.android.calculator2.Calculator",
    )


async def test_input_reaches_the_world():
    clock = ManualClock()
    phone = new_phone(clock)
    phone.world.events.clear()
    assert await run(phone, "input tap 10 20; input text a%sb; input keyevent 4") == (b"", b"", 0)
    swipe = asyncio.create_task(run(phone, "input swipe 0 500 0 100 32"))
    await until(lambda: clock.sleepers)
    await clock.advance(16)
    await until(lambda: clock.sleepers)
    await clock.advance(16)
    assert await swipe == (b"", b"", 0)
    assert [(event.kind, *event.details) for event in phone.world.events] == [
        ("touch", "down", 0, 10.0, 20.0),
        ("touch", "up", 0, 10.0, 20.0),
        ("type", "a b"),
        ("key", 4),
        ("touch", "down", 0, 0.0, 500.0),
        ("touch", "move", 0, 0.0, 300.0),
        ("touch", "move", 0, 0.0, 100.0),
        ("touch", "up", 0, 0.0, 100.0),
    ]


async def test_interrupted_swipe_lifts_its_finger():
    clock = ManualClock()
    phone = new_phone(clock)
    swipe = asyncio.create_task(run(phone, "input swipe 0 500 0 100 32"))
    await until(lambda: clock.sleepers)
    phone.kill("input")
    assert (await swipe)[2] == 137
    assert phone.world.events[-1].details == ("cancel", 0, 0.0, 500.0)


async def test_screencap_writes_png_and_raw():
    phone = VirtualPhone(clock=ManualClock(), width=108, height=240, density=60)
    picture = phone.world.picture(None).convert("RGB")
    png, errors, code = await run(phone, "screencap -p")
    assert (errors, code) == (b"", 0)
    assert Image.open(io.BytesIO(png)).convert("RGB").tobytes() == picture.tobytes()
    raw, _, _ = await run(phone, "screencap")
    assert struct.unpack("<4I", raw[:16]) == (108, 240, 1, 1)
    assert raw[16:] == picture.convert("RGBA").tobytes()
    await run(phone, "screencap /sdcard/shot.png")
    assert phone.files.read("/sdcard/shot.png") == png


async def test_pm_path_prints_an_existing_file():
    phone = new_phone()
    line, _, _ = await run(phone, "pm path com.android.calculator2")
    path = line.decode().removeprefix("package:").strip()
    assert phone.files.read(path, ROOT)[:2] == b"PK"


async def test_ps_and_kill_see_running_programs():
    phone = new_phone()
    sleeper = asyncio.create_task(run(phone, "sleep 1000"))
    await until(lambda: phone.processes.find("sleep"))
    (pid,) = [item.pid for item in phone.processes.all()]
    listing, _, _ = await run(phone, "ps -A")
    assert [line.split()[-1] for line in listing.decode().splitlines()] == [
        "NAME",
        "init",
        "adbd",
        "zygote64",
        "system_server",
        "com.android.systemui",
        "dev.handheld.keeper",
        "com.android.launcher3",
        "sleep",
        "ps",
    ]
    assert await run(phone, f"pidof sleep; kill {pid}") == (f"{pid}\n".encode(), b"", 0)
    assert await sleeper == (b"", b"", 143)


async def test_sleep_uses_the_phones_clock():
    clock = ManualClock()
    sleeper = asyncio.create_task(run(new_phone(clock), "sleep 1.5; echo done"))
    await until(lambda: clock.sleepers)
    await clock.advance(1499)
    assert not sleeper.done()
    await clock.advance(1)
    assert await sleeper == (b"done\n", b"", 0)


async def test_writer_ends_when_the_reader_of_its_pipe_is_gone():
    phone = new_phone()
    phone.files.write("/data/local/tmp/big", b"x" * 1_000_000)
    assert await run(phone, "cat /data/local/tmp/big | true") == (b"", b"", 0)


async def test_head_does_not_wait_for_the_rest():
    stdin, stdout = Pipe(), Collector(LIMIT)
    await stdin.write(b"one\ntwo\n")
    async with asyncio.timeout(HANG):
        assert await Shell(new_phone(), stdin, stdout, Discard(), {}).run("head -n 1") == 0
    assert bytes(stdout.data) == b"one\n"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (b"echo one\necho 'two", (b"one\n", b"/system/bin/sh: no closing quote\n", 1)),
        (
            b"echo one\nif true; then\n echo two",
            (b"one\n", b"/system/bin/sh: syntax error: unmatched 'if'\n", 1),
        ),
        (
            b"echo one; (echo two\necho three\n",
            (b"", b"/system/bin/sh: syntax error: unmatched '('\n", 1),
        ),
        (b"if true; then\n echo two\nfi\necho three", (b"two\nthree\n", b"", 0)),
    ],
)
async def test_a_script_on_stdin_is_run_by_whole_commands_until_it_ends(
    script: bytes, expected: tuple[bytes, bytes, int]
) -> None:
    assert await run(new_phone(), "", script) == expected


async def test_large_output_passes_through_pipes_whole():
    phone = new_phone()
    phone.files.write("/data/local/tmp/big", b"x\n" * 500_000)
    assert await run(phone, "cat /data/local/tmp/big | cat | wc -l") == (b"500000\n", b"", 0)


@pytest.mark.parametrize(
    "command",
    [
        "f() { f; }; f",
        "$(" * 40 + ")" * 40,
        "(" * 40 + "true" + ")" * 40,
        "true" + " | true" * 100,
        "A=xxxxxxxxxxxxxxxx;" + "A=$A$A;" * 30,
        "A=xxxxxxxxxxxxxxxx;" + "A=\"$(echo $A$A)\";" * 30,
        "A=xxxxxxxxxxxxxxxx;" + "A=$A$A;" * 12 + "A=${A//x/$A}",
        "A=xxxxxxxxxxxxxxxx;" + "A=$A$A;" * 12 + "true " + "$A" * 100,
        "A=xxxxxxxxxxxxxxxx;" + "A=$A$A;" * 11 + "echo $A | sed s/x/$A/g",
        "echo 'sh /data/local/tmp/s' > /data/local/tmp/s; sh /data/local/tmp/s",
    ],
    ids=["function", "substitutions", "subshells", "pipes", "doubling", "doubling twice",
         "replacing", "joining", "sed", "recursion"],
)  # fmt: skip
async def test_unbounded_growth_ends_in_an_error(command: str):
    stdout, stderr, _ = await run(new_phone(), command)
    assert stdout == b""
    assert stderr
    assert len(stderr) < 100_000


@pytest.mark.parametrize(
    "number",
    ["²", "9" * 5000, "0x" + "f" * 5000, "0" * 5000 + "1"],
    ids=["²", "9…", "0xf…", "0…1"],
)
async def test_invalid_numbers_are_reported(number: str):
    phone = new_phone()
    for command in (
        "echo a >&{}",
        "wait {}",
        "monkey -p com.android.calculator2 {}",
        "pm list packages --uid {}",
        "echo a | sed 's/a/\\{}/'",
        "dumpsys battery set level {}",
        "cmd package resolve-activity --query-flags {} a.b",
        "printf %d {}",
        "echo a | grep -E 'a{{{}}}'",
        "am start --ei a {} -n com.android.calculator2/.Calculator",
        "content query --uri content://sms/{}",
        "logcat -d -m {}",
    ):
        _, _, code = await run(phone, f"{command.format(number)}; exit 7")
        assert code == 7


async def test_full_phone_reports_no_space():
    phone = new_phone()
    phone.files.capacity = phone.files.used + 1000
    phone.files.write("/data/local/tmp/a", b"x" * 400)
    got = await run(phone, "cat /data/local/tmp/a > /data/local/tmp/b")
    assert got == (
        b"",
        f"{SH}: can't create /data/local/tmp/b: No space left on device\n".encode(),
        1,
    )


@given(st.text(alphabet="ab '\"\\$(){}|&;<>\n#*?[]!=12 `-", max_size=40))
def test_any_text_is_a_command_or_a_syntax_problem(text: str):
    with contextlib.suppress(SyntaxProblem):
        assert parse(text).steps is not None


@given(st.text(min_size=1, max_size=30).filter(lambda text: "\0" not in text))
def test_quoted_word_round_trips(text: str):
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    quoted = "'" + text.replace("'", "'\\''") + "'"
    ((_, pipeline),) = parse(f"echo {quoted}").steps
    (command,) = pipeline.commands
    (_, word) = command.words  # pyright: ignore
    assert "".join(part.text for part in word) == text  # pyright: ignore


async def test_second_user_that_the_shell_may_not_access_fails_commands() -> None:
    phone = VirtualPhone(clock=ManualClock(), other_user=10)
    refusal = (
        b"\nException occurred while executing 'list':\njava.lang.SecurityException: Shell does not"
        b" have permission to access user 10\n"
    )
    assert await run(phone, "pm list packages") == (b"", refusal, 255)
    assert await run(phone, "pm list packages --user 10") == (b"", refusal, 255)
    stdout, stderr, code = await run(phone, "pm list packages --user 0 calc")
    assert (stdout, stderr, code) == (b"package:com.android.calculator2\n", b"", 0)
    stdout, _, _ = await run(phone, "pm list users")
    assert b"UserInfo{10:Work profile:1030} running" in stdout
    _, stderr, code = await run(phone, "ls /storage/emulated/10")
    assert (stderr, code) == (b"ls: /storage/emulated/10: Permission denied\n", 1)


async def test_a_phone_with_one_user_lists_its_packages_without_naming_it() -> None:
    phone = new_phone()
    assert await run(phone, "pm list packages calc") == (
        b"package:com.android.calculator2\n",
        b"",
        0,
    )
    assert await run(phone, "pm list users") == (
        b"Users:\n\tUserInfo{0:Owner:c13} running\n",
        b"",
        0,
    )
