"""Android's own commands on the virtual phone: output and effects."""

import asyncio
import re
from importlib import import_module
from inspect import iscoroutinefunction, signature

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patterns import PACKAGE

import fixtures
from handheld.driver.reading.notification_dump import NotificationRecord, read_records
from handheld_virtual.boot import reboot
from handheld_virtual.commands.table import COMMANDS_OF_SERVICES, DUMPS_OF_SERVICES, PROGRAMS
from handheld_virtual.packages.app import App
from handheld_virtual.packages.intent_arguments import BadIntent, Words, parse_intent
from handheld_virtual.packages.posted import key_of
from handheld_virtual.packages.provider import Bundle, Provider, ProviderProblem, Query, Row
from handheld_virtual.packages.where import compile_where
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.shell import Shell
from handheld_virtual.sh.streams import Collector, Given
from handheld_virtual.system.android import android
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.views.view import View
from harness.polling import HANG
from testbed.cloud import Cloud

CALCULATOR = "com.android.calculator2"
LIMIT = 1 << 22


def new_phone(api: int = 34) -> VirtualPhone:
    return VirtualPhone(clock=ManualClock(), api=api)


async def run(phone: VirtualPhone, command: str) -> tuple[str, str, int]:
    stdout, stderr = Collector(LIMIT), Collector(LIMIT)
    async with asyncio.timeout(HANG):
        code = await Shell(phone, Given(b""), stdout, stderr, {}).run(command)
    return stdout.data.decode(), stderr.data.decode(), code


def every_view(view: View) -> list[View]:
    return [view, *(inner for child in view.children for inner in every_view(child))]


def thrown(verb: str, exception: str) -> str:
    return f"\nException occurred while executing '{verb}':\n{exception}\n"


ERROR = "Error occurred. Check logcat for details."
UNRESOLVED = "Error: Activity not started, unable to resolve Intent "


@pytest.mark.parametrize(
    ("command", "stdout", "stderr", "code"),
    [
        # Packages
        (f"pm list packages {CALCULATOR}", f"package:{CALCULATOR}\n", "", 0),
        (f"pm list packages -U --show-versioncode -i {CALCULATOR}",
         f"package:{CALCULATOR} versionCode:90  installer=null uid:10101\n", "", 0),
        ("pm list packages -x", "Error: Unknown option: -x\n", "", 255),
        ("pm list nothing", "Error: unknown list type 'nothing'\n", "", 255),
        ("pm path none", "", "", 1),
        ("pm clear none", "", "Failed\n", 1),
        (f"pm clear {CALCULATOR}", "Success\n", "", 0),
        ("pm get-install-location", "0[auto]\n", "", 0),
        ("pm has-feature android.hardware.touchscreen", "true\n", "", 0),
        ("pm grant none x", "",
         thrown("grant", "java.lang.IllegalArgumentException: Unknown package: none"), 255),
        (f"pm grant {CALCULATOR} android.permission.CAMERA", "",
         thrown("grant", f"java.lang.SecurityException: Package {CALCULATOR} has not requested"
                " permission android.permission.CAMERA"), 255),
        (f"pm disable-user --user 0 {CALCULATOR}; pm list packages -d; pm enable {CALCULATOR}",
         f"Package {CALCULATOR} new state: disabled-user\npackage:{CALCULATOR}\n"
         f"Package {CALCULATOR} new state: enabled\n", "", 0),
        # Who answers
        (f"cmd package resolve-activity --brief {CALCULATOR}",
         "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n"
         f"{CALCULATOR}/.Calculator\n", "", 0),
        (f"pm resolve-activity --components {CALCULATOR}", f"{CALCULATOR}/.Calculator\n", "", 0),
        ("cmd package resolve-activity --brief none", "No activity found\n", "", 0),
        ("cmd package query-services -a none", "No services found\n", "", 0),
        ("cmd package query-activities --components -a android.intent.action.SENDTO -d sms:1",
         "com.android.messaging/.ui.conversation.NewConversationActivity\n", "", 0),
        # Activities
        ("am start -a android.intent.action.VIEW -d foo://a.example/b",
         "Starting: Intent { act=android.intent.action.VIEW dat=foo://a.example/... }\n",
         UNRESOLVED + "{ act=android.intent.action.VIEW dat=foo://a.example/..."
         " flg=0x10000000 }\n",
         0),
        ("am start -n a.b/", "",
         thrown("start", "java.lang.IllegalArgumentException: Bad component name: a.b/"), 255),
        ("am start --nope", "",
         thrown("start", "java.lang.IllegalArgumentException: Unknown option: --nope"), 255),
        ("am start -a", "", thrown("start", "java.lang.IllegalArgumentException: Argument expected"
                                   ' after "-a"'), 255),
        ("am startservice -n a.b/.C", "Starting service: Intent { cmp=a.b/.C }\n",
         "Error: Not found; no service started.\n", 255),
        ("am broadcast -a x.y --ez on true",
         "Broadcasting: Intent { act=x.y flg=0x400000 (has extras) }\n"
         "Broadcast completed: result=0\n", "", 0),
        ("am get-current-user", "0\n", "", 0),
        ("monkey 1 2", "", "** Error: Unknown option: 2\n", 1),
        (
            f"monkey -p {CALCULATOR} --pct-syskeys 0 500",
            "",
            "** Error: random events are not supported by this phone: only the launch by a count of"
            " 1\n",
            1,
        ),
        *(
            (
                command,
                "",
                thrown("start", "java.lang.IllegalArgumentException: No intent supplied"),
                255,
            )
            for command in ("am start", "am start -f 1 --es a b")
        ),
        ("reboot recovery", "", "reboot: Invalid argument\n", 1),
        ("reboot -x", "", "usage: reboot [-p] [rebootcommand]\n", 1),
        # Settings, keyboards, services
        ("settings put system x 'a b'; settings get system x; settings delete system x;"
         " settings get system x", "a b\nDeleted 1 rows\nnull\n", "", 0),
        ("ime list -s", "com.android.inputmethod.latin/.LatinIME\n", "", 0),
        ("ime set a/.B", "Unknown input method a/.B cannot be selected for user #0\n", "", 255),
        ("service check activity; service check none",
         "Service activity: found\nService none: not found\n", "", 0),
        ("cmd none x", "", "cmd: Can't find service: none\n", 20),
        ("cmd clipboard get-primary-clip", "", "No shell command implementation.\n", 0),
        ("setprop debug.x 1; getprop debug.x", "1\n", "", 0),
        ("setprop ro.x 1", "",
         "Failed to set property 'ro.x' to '1'.\nSee dmesg for error reason.\n", 1),
        ("getprop gsm.sim.state", "LOADED,LOADED\n", "", 0),
        # Content
        ("content query --uri content://settings/system --projection name:value"
         " --where \"name='font_scale'\"", "Row: 0 name=font_scale, value=1.0\n", "", 0),
        # SQLite treats a quoted name that is not a column as a text.
        ("content query --uri content://settings/system --projection value"
         " --where 'name=\"font_scale\"'", "Row: 0 value=1.0\n", "", 0),
        ("content query --uri content://settings/system --projection value"
         " --where '\"name\"=\"no such\"'", "No result found.\n", "", 0),
        # The machine
        ("cat /proc/version", "Linux version 6.1.0-virtual (handheld@localhost) #1 SMP PREEMPT\n",
         "", 0),
        ("uname -a; uname -v",
         "Linux localhost 6.1.0-virtual #1 SMP PREEMPT aarch64\n#1 SMP PREEMPT\n", "", 0),
        ("grep -c processor /proc/cpuinfo; nproc", "8\n8\n", "", 0),
        ("cat /proc/uptime; cat /proc/loadavg", "0.00 0.00\n0.00 0.00 0.00 1/1 1\n", "", 0),
        ("content query --uri content://none/x", "",
         "Error while accessing provider:none\n"
         "java.lang.IllegalStateException: Could not find provider: none\n", 1),
        ("content query --uri content://sms/inbox", "No result found.\n", "", 0),
        ("content call --uri content://settings --method GET_global --arg adb_enabled",
         "Result: Bundle[{value=1}]\n", "", 0),
    ],
)  # fmt: skip
async def test_commands_print_what_android_14_prints(
    command: str, stdout: str, stderr: str, code: int
):
    assert await run(new_phone(), command) == (stdout, stderr, code)


async def test_service_of_a_background_app_starts_only_as_a_foreground_service():
    phone = new_phone()
    intent = "-n dev.handheld.notes/.NoteService"
    line = "Starting service: Intent { cmp=dev.handheld.notes/.NoteService }\n"
    refused = "Error: app is in background uid null\n"
    assert await run(phone, f"am startservice {intent}") == (line, refused, 255)
    assert phone.world.running.pids("dev.handheld.notes") == []
    assert await run(phone, f"am start-foreground-service {intent}") == (line, "", 0)
    assert len(phone.world.running.pids("dev.handheld.notes")) == 1
    assert await run(phone, f"am startservice {intent}") == (line, "", 0)


@pytest.mark.parametrize(
    ("action", "component", "title"),
    [
        ("SETTINGS", ".Settings", "Settings"),
        ("WIFI_SETTINGS", ".Settings$WifiSettingsActivity", "Network & internet"),
        ("APPLICATION_SETTINGS", ".Settings$ManageApplicationsActivity", "Apps"),
        ("APPLICATION_DEVELOPMENT_SETTINGS", ".Settings$DevelopmentSettingsActivity",
         "Developer options"),
    ],
)  # fmt: skip
async def test_a_page_of_the_settings_is_opened_by_its_action(
    action: str, component: str, title: str
):
    phone = new_phone()
    starting = f"Starting: Intent {{ act=android.settings.{action} }}\n"
    assert await run(phone, f"am start -a android.settings.{action}") == (starting, "", 0)
    top, _, _ = await run(phone, "dumpsys activity top")
    assert f"ACTIVITY com.android.settings/{component} " in top
    windows = phone.world.automation.read_windows()
    assert title in [node.text for window in windows for node in window.nodes]


async def test_the_settings_of_an_app_are_opened_by_its_package():
    phone = new_phone()
    action = "android.settings.APPLICATION_DETAILS_SETTINGS"
    output, error, code = await run(phone, f"am start -a {action} -d package:{CALCULATOR}")
    assert (output, error, code) == (
        f"Starting: Intent {{ act={action} dat=package: }}\n", "", 0
    )  # fmt: skip
    windows = phone.world.automation.read_windows()
    texts = [node.text for window in windows for node in window.nodes]
    assert ("App info" in texts, "Calculator" in texts) == (True, True)


@pytest.mark.parametrize(
    ("api", "expected"), [(30, ("", "No shell command implementation.\n", 0)), (31, ("", "", 0))]
)
async def test_input_is_a_service_since_android_12(api: int, expected: tuple[str, str, int]):
    assert await run(new_phone(api), "cmd input tap 1 1") == expected


async def test_am_start_warns_when_the_task_exists():
    phone = new_phone()
    start = f"am start -n {CALCULATOR}/.Calculator"
    line = f"Starting: Intent {{ cmp={CALCULATOR}/.Calculator }}\n"
    assert await run(phone, start) == (line, "", 0)
    warning = "Warning: Activity not started, "
    top = "intent has been delivered to currently running top-most instance.\n"
    assert await run(phone, start) == (line, warning + top, 0)
    phone.world.press("home")
    moved = "its current task has been brought to the front\n"
    assert await run(phone, start) == (line, warning + moved, 0)
    assert await run(phone, f"{start} -S") == (f"Stopping: {CALCULATOR}\n{line}", "", 0)


@pytest.mark.parametrize(
    ("api", "lines"),
    [
        (28, ["Status", "Activity", "ThisTime", "TotalTime", "WaitTime"]),
        (30, ["Status", "LaunchState", "Activity", "TotalTime", "WaitTime"]),
    ],
)
async def test_am_start_w_prints_the_lines_of_its_release(api: int, lines: list[str]):
    stdout, _, code = await run(new_phone(api), f"am start -W -n {CALCULATOR}/.Calculator")
    assert code == 0
    assert [line.partition(":")[0] for line in stdout.splitlines()[1:]] == [*lines, "Complete"]


@pytest.mark.parametrize(("api", "code"), [(28, 0), (34, 0), (35, 1)])
async def test_starting_an_unknown_class_is_error_type_3(api: int, code: int):
    _, stderr, got = await run(new_phone(api), "am start -n a.b/.C")
    assert (stderr, got) == (
        "Error type 3\nError: Activity class {a.b/a.b.C} does not exist.\n",
        code,
    )


@pytest.mark.parametrize(
    ("api", "start"),
    [
        (28, "{id=14, iccId=893301123[****] simSlotIndex=0 displayName=Orange F carrierName="),
        (30, "{id=14 iccId=893301123[****] simSlotIndex=0 carrierId=-1 displayName=Orange F car"),
        (34, "[SubscriptionInfo: id=14 iccId=893301123[****] simSlotIndex=0 portIndex=0 isEmb"),
    ],
)
async def test_isub_prints_sims_in_the_format_of_its_release(api: int, start: str):
    stdout, _, _ = await run(new_phone(api), "dumpsys isub")
    assert any(line.strip().startswith(start) for line in stdout.splitlines())


async def test_a_setting_turns_the_screen_through_its_provider():
    phone = new_phone()
    await run(phone, "settings put system accelerometer_rotation 0")
    bind = "--bind name:s:user_rotation --bind value:i:1"
    assert await run(phone, f"content insert --uri content://settings/system {bind}") == ("", "", 0)
    assert phone.world.rotation == 1


@pytest.mark.parametrize("api", [26, 30, 36])
@pytest.mark.parametrize(
    "authority", ["com.android.externalstorage.documents", "org.example.cloud.documents"]
)
@pytest.mark.parametrize(
    "command",
    ["query --uri content://{}/root", "call --uri content://{} --method android:createDocument"],
)
async def test_a_documents_provider_refuses_the_shell_user_in_every_release(
    api: int, authority: str, command: str
):
    phone = new_phone(api)
    phone.install(Cloud)
    _, error, _ = await run(phone, f"content {command.format(authority)}")
    assert error.endswith(
        f"java.lang.SecurityException: Permission Denial: opening provider {authority} from (null)"
        " (uid=2000) requires that you obtain access using ACTION_OPEN_DOCUMENT or related APIs\n"
    )


async def test_sms_provider_needs_permission_before_android_10():
    query = "content query --uri content://sms/inbox --projection _id:address:body:read"
    for api, allowed in ((28, False), (30, True)):
        phone = new_phone(api)
        phone.world.telephony.receive("+3612345", "Hi, friend")
        stdout, stderr, _ = await run(phone, query)
        row = "Row: 0 _id=1, address=+3612345, body=Hi, friend, read=0\n"
        assert stdout == (row if allowed else "")
        assert ("java.lang.SecurityException: Permission Denial" in stderr) != allowed


async def test_battery_state_can_be_overridden_and_reset():
    phone = new_phone()
    before = (await run(phone, "dumpsys battery"))[0]
    await run(phone, "dumpsys battery set level 7; dumpsys battery unplug")
    stdout, _, _ = await run(phone, "dumpsys battery | grep -E 'level|USB'")
    assert stdout == "  USB powered: false\n  level: 7\n"
    bar = phone.world.windows()[1].root
    assert any(view.description == "Battery 7 percent." for view in every_view(bar))
    await run(phone, "cmd battery reset")
    assert (await run(phone, "dumpsys battery"))[0] == before


async def test_pm_clear_stops_the_app_and_revokes_its_permissions():
    phone = new_phone()
    phone.world.launch(CALCULATOR)
    phone.world.permissions.grant(CALCULATOR, "android.permission.CAMERA")
    assert (await run(phone, f"pm clear {CALCULATOR}"))[0] == "Success\n"
    assert phone.world.running.pids(CALCULATOR) == []
    assert phone.world.permissions.of(CALCULATOR) == {}


async def test_disabled_app_receives_no_intents():
    phone = new_phone()
    await run(phone, f"pm disable-user {CALCULATOR}")
    resolved = await run(phone, f"cmd package resolve-activity --brief {CALCULATOR}")
    assert resolved[0] == "No activity found\n"
    started = await run(phone, f"am start -n {CALCULATOR}/.Calculator")
    assert started[1].startswith("Error type 3\n")
    assert (await run(phone, f"monkey -p {CALCULATOR} 1"))[2] == 252


async def test_disabled_app_is_not_in_the_launcher():
    def at_home() -> bool:
        nodes = [node for window in phone.world.automation.read_windows() for node in window.nodes]
        return "Calculator" in [node.text for node in nodes]

    phone = new_phone()
    seen = [at_home()]
    for verb in ("disable-user", "enable"):
        before = phone.world.package_changes.sequence
        await run(phone, f"pm {verb} {CALCULATOR}")
        assert phone.world.package_changes.sequence > before
        seen.append(at_home())
    assert seen == [True, False, True]


async def test_every_shell_has_its_own_pid():
    phone = new_phone()
    first, inner, other = (await run(phone, "echo $$ $(echo $$) $(sh -c 'echo $$')"))[0].split()
    assert first == inner
    assert other != first
    assert (await run(phone, "echo $$"))[0].strip() not in (first, other)


class Notebook(Provider):
    def query(self, query: Query) -> list[Row]:
        if query.path != "notes":
            raise ProviderProblem(f"java.lang.IllegalArgumentException: Unhandled: {query.path}")
        return [{"_id": 1, "text": "a"}, {"_id": 2, "text": None}]

    def call(self, method: str, argument: str | None, extras: Bundle) -> Bundle | None:
        return {"method": method, "arg": argument, **extras} if method == "echo" else None


class NotebookApp(App):
    package, label = "org.example.notebook", "Notebook"
    providers = {"org.example.notes": Notebook}  # noqa: RUF012


@pytest.mark.parametrize(
    ("words", "stdout", "stderr"),
    [
        ("query --uri content://org.example.notes/notes --sort '_id DESC'",
         "Row: 0 _id=2, text=NULL\nRow: 1 _id=1, text=a\n", ""),
        ("query --uri content://org.example.notes/x", "",
         "Error while accessing provider:org.example.notes\n"
         "java.lang.IllegalArgumentException: Unhandled: x\n"),
        ("call --uri content://org.example.notes --method echo --extra n:i:3 --extra t:s:a:b",
         "Result: Bundle[{method=echo, arg=null, n=3, t=a:b}]\n", ""),
        ("call --uri content://org.example.notes --method other", "Result: null\n", ""),
    ],
)  # fmt: skip
async def test_an_apps_provider_is_reached_by_its_authority(words: str, stdout: str, stderr: str):
    phone = new_phone()
    phone.world.install(NotebookApp)
    got = await run(phone, f"content {words}")
    assert got[:2] == (stdout, stderr)
    listed, _, _ = await run(phone, "dumpsys package providers")
    assert "  [org.example.notes]:\n    Provider{" in listed


@pytest.mark.parametrize("shape", PACKAGE.values(), ids=PACKAGE)
async def test_dumpsys_package_has_androids_format(shape: str):
    stdout, _, _ = await run(new_phone(), "dumpsys package com.android.messaging")
    assert re.search(shape, stdout, re.MULTILINE)
    assert re.search(shape, fixtures.text("dumpsys/package-api34.txt"), re.MULTILINE)


@given(st.lists(st.sampled_from(["-a", "-d", "-n", "-e", "--ei", "--ez", "x", "a/b", "1", "u:v"])))
def test_any_arguments_are_parsed_or_refused_as_an_intent(words: list[str]):
    try:
        intent, _ = parse_intent(Words(words), android(34))
    except BadIntent:
        return
    assert intent.show(android(34)).startswith("Intent { ")


@given(st.text(alphabet="ab1'=<>() ANDOR\"", max_size=20))
def test_any_where_clause_is_compiled_or_refused(text: str):
    try:
        holds = compile_where(text)
        assert holds({"a": 1, "b": "x"}) in (True, False)
    except ProviderProblem as problem:
        assert str(problem).startswith("android.database.sqlite.SQLiteException")  # noqa: PT017


def test_every_program_in_the_table_can_be_imported():
    tables = (PROGRAMS, COMMANDS_OF_SERVICES, DUMPS_OF_SERVICES)
    places = [place.rpartition(".") for table in tables for place in table.values()]
    modules = {
        module: import_module(f"handheld_virtual.commands.{module}") for module, *_ in places
    }
    bodies = [getattr(modules[module], name) for module, _, name in places]
    assert all(iscoroutinefunction(body) for body in bodies)
    assert {tuple(signature(body).parameters) for body in bodies} == {("call",)}


PICTURE = "/storage/emulated/0/Pictures/new one.png"
QUERY = "content query --uri content://media/external/images/media --projection _display_name"


@pytest.mark.parametrize(
    ("api", "command", "found"),
    [
        (28, f"am broadcast -a android.intent.action.MEDIA_SCANNER_SCAN_FILE -d 'file://{PICTURE}'",
         True),
        (29, f"content call --uri content://media --method scan_file --arg '{PICTURE}'", False),
        (30, f"content call --uri content://media --method scan_file --arg '{PICTURE}'", True),
        (36, f"content call --uri content://media --method scan_file --arg '{PICTURE}'", True),
        (34, "content call --uri content://media --method scan_file", False),
    ],
)  # fmt: skip
async def test_file_is_in_the_media_index_after_a_scan(api: int, command: str, found: bool):
    phone = new_phone(api)
    await run(phone, f"cp /sdcard/Pictures/pixel.png '{PICTURE}'")
    assert "new one.png" not in (await run(phone, QUERY))[0]
    await run(phone, command)
    assert ("new one.png" in (await run(phone, QUERY))[0]) is found
    await run(phone, f"rm '{PICTURE}'")
    assert ("new one.png" in (await run(phone, QUERY))[0]) is found
    await run(phone, command)
    assert "new one.png" not in (await run(phone, QUERY))[0]


async def test_reboot_scans_every_file():
    phone = new_phone()
    await run(phone, f"cp /sdcard/Pictures/pixel.png '{PICTURE}'; rm /sdcard/Pictures/pixel.png")
    reboot(phone.world)
    assert (await run(phone, QUERY))[0].split(" ", 2)[2] == "_display_name=new one.png\n"


@pytest.mark.parametrize("api", [29, 30, 33, 34, 36])
async def test_exit_info_is_printed_since_android_11(api: int):
    phone = new_phone(api)
    phone.world.show(CALCULATOR)
    phone.world.press("home")
    await run(phone, f"am force-stop {CALCULATOR}")
    printed, _, _ = await run(phone, f"dumpsys activity exit-info {CALCULATOR}")
    if api < 30:
        assert printed.startswith("Bad activity command, or no activities match: exit-info")
        return
    shape = fixtures.text(f"dumpsys/exit-info-api{30 if api < 33 else 34}.txt").splitlines()
    lines = printed.splitlines()
    record = lines.index("        ApplicationExitInfo #0:")
    length = next(n for n, line in enumerate(shape) if line.endswith(" #1:")) - record
    names = [re.findall(r"(?<!\w)[a-zA-Z]+=", line) for line in lines[record:]]
    assert names == [re.findall(r"(?<!\w)[a-zA-Z]+=", item) for item in shape[record:][:length]]
    assert "reason=10 (USER REQUESTED)" in printed
    phone.world.uninstall(CALCULATOR)
    assert "package:" not in (await run(phone, f"dumpsys activity exit-info {CALCULATOR}"))[0]


# The log, crashes and notifications


async def test_log_writes_a_line_to_the_log() -> None:
    phone = new_phone()
    assert await run(phone, "log -p e -t Door 'it is' open") == ("", "", 0)
    assert (await run(phone, "logcat -d -v brief -s Door"))[0].endswith("): it is open\n")
    assert (await run(phone, "log hello"))[2] == 0
    assert "\nI/log     (" in (await run(phone, "logcat -d -v brief -s log"))[0]


@pytest.mark.parametrize(
    ("command", "stderr"),
    [
        ("log -p x hello", "log: bad -p 'x'\n"),
        ("log -p", 'log: Missing argument to -p (see "log --help")\n'),
        ("log -z hello", "log: Unknown option 'z' (see \"log --help\")\n"),
    ],
)
async def test_wrong_options_of_log_are_refused(command: str, stderr: str) -> None:
    phone = new_phone()
    before = phone.world.logs.count
    assert await run(phone, command) == ("", stderr, 1)
    assert phone.world.logs.count == before


@pytest.mark.parametrize(
    ("api", "exception"),
    [
        (28, "android.app.RemoteServiceException: shell-induced crash"),
        (34, "android.app.RemoteServiceException$CrashedByAdbException: shell-induced crash"),
    ],
)
async def test_am_crash_ends_an_app_with_an_exception(api: int, exception: str) -> None:
    phone = new_phone(api)
    phone.world.bring(CALCULATOR)
    [pid] = phone.world.running.pids(CALCULATOR)
    assert await run(phone, f"am crash {CALCULATOR}") == ("", "", 0)
    assert phone.world.running.pids(CALCULATOR) == []
    lines = (await run(phone, "logcat -d -b crash -v raw"))[0].splitlines()
    assert [line for line in lines if not line.startswith("---")][:3] == [
        "FATAL EXCEPTION: main",
        f"Process: {CALCULATOR}, PID: {pid}",
        exception,
    ]


async def test_am_crash_takes_a_pid() -> None:
    phone = new_phone()
    phone.world.bring(CALCULATOR)
    [pid] = phone.world.running.pids(CALCULATOR)
    assert await run(phone, f"am crash {pid}") == ("", "", 0)
    assert phone.world.running.pids(CALCULATOR) == []


async def test_cmd_notification_posts_what_list_dumpsys_and_the_shade_have() -> None:
    phone = new_phone()
    stdout, _, code = await run(phone, "cmd notification post -t Door bell 'Somebody is there'")
    assert stdout.startswith("posting:\n  Notification(channel=shell_cmd shortcut=null ")
    assert code == 0
    key = "0|com.android.shell|2020|bell|2000"
    assert (await run(phone, "cmd notification list"))[0] == f"{key}\n"
    record = (await run(phone, f"cmd notification get '{key}'"))[0]
    assert "android.title=String (Door)" in record
    dump = (await run(phone, "dumpsys notification --noredact"))[0]
    assert f"key={key}" in dump
    assert "android.text=String (Somebody is there)" in dump
    phone.world.panel.open("notifications")
    assert phone.world.panel.window is not None
    shown = [view.text for view in every_view(phone.world.panel.window.root)]
    assert {"Door", "Somebody is there"} <= set(shown)


async def test_a_notification_with_the_same_tag_replaces_the_other() -> None:
    phone = new_phone()
    await run(phone, "cmd notification post a one; cmd notification post b two")
    await run(phone, "cmd notification post a three")
    assert [(n.tag, n.text) for n in phone.world.notifications.posted] == [
        ("a", "three"),
        ("b", "two"),
    ]


async def test_android_10_posts_under_another_number_and_does_not_list() -> None:
    phone = new_phone(29)
    stdout, _, _ = await run(phone, "cmd notification post a one")
    assert "channel=shellcmd pri=0" in stdout
    [posted] = phone.world.notifications.posted
    assert (posted.id, posted.channel) == (1138, "shellcmd")
    assert await run(phone, "cmd notification list") == ("Unknown command: list\n", "", 255)


async def test_cmd_notification_snoozes_and_brings_back() -> None:
    phone = new_phone()
    world = phone.world
    key = key_of(world, world.notify(CALCULATOR, "Sum", "12", tag="a b"))
    stdout, _, code = await run(phone, f"cmd notification snooze --for 60000 '{key}'")
    assert (stdout, code) == (
        f"snoozing <{key}> until time: Wed Feb 11 09:42:00 GMT 2026\n",
        0,
    )
    assert (await run(phone, "cmd notification list"))[0] == ""
    assert (await run(phone, "cmd notification snoozed"))[0] == (
        f"{key} snoozed, time=1770802920000 context=null\n"
    )
    assert await run(phone, f"cmd notification unsnooze '{key}'") == (f"unsnoozing: {key}\n", "", 0)
    assert (await run(phone, "cmd notification list"))[0] == f"{key}\n"
    await run(phone, f"cmd notification snooze --for 60000 '{key}'")
    clock = phone.clock
    assert isinstance(clock, ManualClock)
    await clock.advance(60_000)
    assert (await run(phone, "cmd notification list"))[0] == f"{key}\n"


@pytest.mark.parametrize(
    ("line", "stdout", "code"),
    [
        ("snooze --for 0 nokey", "error: invalid value for --for: 0\n", 1),
        ("snooze --for 0 'KEY'", "error: invalid value for --for: 0\n", 1),
        (
            "snooze --for 1",
            "usage: cmd notification snooze (--for <msec> | --context <snooze-criterion-id>)"
            " <key>\n",
            1,
        ),
        ("snooze --for x 'KEY'", f'{ERROR} For input string: "x"\n', 0),
        ("unsnooze 'KEY'", "error: no snoozed otification matching key: KEY\n", 1),
    ],
)
async def test_what_cmd_notification_cannot_snooze_stays(line: str, stdout: str, code: int) -> None:
    phone = new_phone()
    key = key_of(phone.world, phone.world.notify(CALCULATOR, "Sum", "12"))
    printed = await run(phone, f"cmd notification {line.replace('KEY', key)}")
    assert printed == (stdout.replace("KEY", key), "", code)
    assert len(phone.world.notifications.posted) == 1


@pytest.mark.parametrize(
    ("api", "known"),
    [
        (26, {}),
        (28, {"allow_listener", "suspend_package"}),
        (29, {"allow_listener", "suspend_package", "post"}),
        (30, {"allow_listener", "suspend_package", "post", "snooze"}),
        (31, {"allow_listener", "post", "snooze"}),
        (35, {"allow_listener", "post", "snooze", "redact_otp_from_untrusted_listeners"}),
    ],
)
async def test_cmd_notification_has_the_commands_of_its_release(api: int, known: set[str]) -> None:
    phone = new_phone(api)
    every = ("allow_listener", "suspend_package", "post", "snooze")
    for verb in (*every, "redact_otp_from_untrusted_listeners"):
        stdout, stderr, _ = await run(phone, f"cmd notification {verb} a/b")
        told = stdout == f"Unknown command: {verb}\n" or "No shell command" in stderr
        assert told is (verb not in known), verb
    if "allow_listener" in known:
        listeners = (await run(phone, "settings get secure enabled_notification_listeners"))[0]
        assert listeners == "a/b\n"


@pytest.mark.parametrize("api", [26, 28, 34])
async def test_the_protocol_buffer_of_dumpsys_has_the_keys(api: int) -> None:
    phone = new_phone(api)
    world = phone.world
    kept = world.notify(CALCULATOR, "Sum", "12", ongoing=True, group="g")
    gone = world.notify(CALCULATOR, "Later", "12", tag="é")
    other = world.notify(CALCULATOR, "Work", "12", user=10)
    world.notifications.snooze(gone, 1000)
    stdout = Collector(100_000)
    line = "dumpsys notification --proto"
    await Shell(phone, Given(b""), stdout, Collector(1000), {}).run(line)
    assert read_records(bytes(stdout.data)) == [
        NotificationRecord(key_of(world, other), 0x10, key_of(world, other)),
        NotificationRecord(key_of(world, kept), 0x12, f"0|{CALCULATOR}|g:g"),
    ]


async def test_dumpsys_notification_can_be_of_some_apps() -> None:
    phone = new_phone()
    phone.world.notify(CALCULATOR, "Sum", "12")
    phone.world.notify("com.android.settings", "Update", "now")
    dump = (await run(phone, "dumpsys notification --noredact -p calculator"))[0]
    assert "(Sum)" in dump
    assert "(Update)" not in dump


@pytest.mark.parametrize(
    ("arguments", "stdout"),
    [
        ("", "usage: cmd notification post [flags] <tag> <text>"),
        ("tag", "usage: cmd notification post [flags] <tag> <text>"),
        ("-x tag text", "usage: cmd notification post [flags] <tag> <text>"),
        ("-i nothing tag text", "error: invalid icon: nothing"),
        ("-S no tag text", f"{ERROR} unrecognized notification style: no"),
        ("--line x tag text", f"{ERROR} --line requires --style inbox"),
        ("-t", f'{ERROR} Argument expected after "-t"'),
    ],
)
async def test_a_wrong_notification_is_not_posted(arguments: str, stdout: str) -> None:
    phone = new_phone()
    printed, _, code = await run(phone, f"cmd notification post {arguments}")
    assert (printed.splitlines()[0], code) == (stdout, 0)
    assert phone.world.notifications.posted == []


async def test_a_web_address_is_opened_by_the_browser() -> None:
    phone = new_phone()
    await run(phone, "am start -a android.intent.action.VIEW -d https://news.example/bridge")
    assert phone.world.foreground == ("com.android.browser", "com.android.browser.BrowserActivity")
    clock = phone.clock
    assert isinstance(clock, ManualClock)
    await clock.advance(3000)
    phone.world.settle()
    texts = [view.text for view in every_view(phone.world.windows()[-1].root)]
    assert "New bridge opens in spring" in texts
