"""What Android's commands print: dumps of screens, `dumpsys`, `pm`, `ps` and `logcat`.

Titles, labels and log lines in it are chosen by apps.
"""

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from functools import partial

import fixtures
from driver.notification_proto import RecordProto, encode
from driver.test_package_lists import TABLES
from driver.test_uiautomation_conflicts import LISTING
from handheld.adb.shell import OutputTooLong, ShellResult
from handheld.app_formats.app_functions import BadFunctions, read_functions, read_result
from handheld.app_formats.app_functions.types import Types
from handheld.app_tools.check.function_files import read_function_ids
from handheld.app_tools.functions import read_functions_of
from handheld.cli.doctor.checkup import parse_free_mb, parse_properties
from handheld.driver.app_tools import AppFailed, DeclaringApp
from handheld.driver.by_adb import measurement, state
from handheld.driver.by_adb.app_function_command import read_generation, read_reply
from handheld.driver.by_adb.denial import read_denial
from handheld.driver.by_adb.exit_reasons import read_exit_info, read_exit_log
from handheld.driver.by_adb.install import read_answer
from handheld.driver.by_helper.uiautomation_conflicts import describe_conflicts, parse_conflicts
from handheld.driver.by_shell import probes
from handheld.driver.by_shell.apps import BadPackages, read_launchable, read_listed
from handheld.driver.by_shell.intents import read_closed, read_handlers, read_resolved
from handheld.driver.by_shell.reaching import find_reach
from handheld.driver.intents import Handler
from handheld.driver.reading import dumpsys, notification_dump
from handheld.driver.reading.content_rows import (
    ContentFailed,
    read_numbers,
    read_single,
    read_texts,
)
from handheld.driver.reading.drop_box import read_drop_box
from handheld.driver.reading.exit_records import read_exit_records
from handheld.driver.reading.package_dump import read_package_dump
from handheld.driver.reading.package_lists import (
    BadList,
    read_components,
    read_packages,
    read_resolver,
    read_states,
)
from handheld.driver.reading.uiautomator import BadDump, read_dump
from handheld.phone.apps.crash_log import read_crash_log
from handheld.phone.apps.logs import LogFilter, newest
from handheld_virtual.views.reading import dump as captured

from .streams import FedLink, complete
from .trial import Target

NOW = datetime(2026, 2, 11, 9, 41, 10, tzinfo=UTC)
APP = "org.example.coffee"
FUNCTION_LIST = fixtures.text("app_functions/list-api36.txt")
FUNCTION_FILE = b"<appfunctions><appfunction><id>a.B#c</id></appfunction></appfunctions>"
FUNCTION_WORDS = (b"[]", b"{}", b"[", b"]", b"{", b"}", b'"type"', b"[11]", b"[14]", b"null", b",")
DROPPED = fixtures.text("dumpsys/dropbox-files-api28.txt")

Parse = Callable[[str], object]


def _each(*reads: Parse, errors: tuple[type[Exception], ...] = ()) -> Callable[[bytes], None]:
    """Let each of them read the text, so that one refusal hides no other."""

    def run(data: bytes) -> None:
        text = data.decode(errors="replace")
        for read in reads:
            with contextlib.suppress(*errors):
                read(text)

    return run


def _fixtures(*patterns: str) -> Callable[[], list[bytes]]:
    names = (name for pattern in patterns for name in fixtures.names(pattern))
    found = [fixtures.file(name).read_bytes() for name in names]
    return lambda: found


def read_log(text: str, zone: tzinfo | None) -> None:
    since, until = datetime(2026, 2, 10, tzinfo=zone), datetime(2027, 1, 1, tzinfo=zone)
    newest(text, LogFilter("I", None, since, until), 50, NOW)


def read_listed_functions(text: str) -> None:
    """What is declared, up to the tools that are listed."""
    for package, declared in read_functions(text).items():
        read_functions_of(DeclaringApp(package, package, 1, "aa"), declared)


def read_function_reply(text: str) -> None:
    read_generation(text)
    reply = read_reply(ShellResult(text.encode("utf-8", "replace"), b"", 0), 1000)
    for declared in read_functions(FUNCTION_LIST).values():
        for function in declared.functions:
            read_result(reply.document, function.returns, Types(declared.types))


def answer_queries(data: bytes) -> None:
    """Play the phone whose provider of text messages is queried."""
    from handheld.adb.wire import MAX_PAYLOAD, encode_shell

    parts = (data[at : at + MAX_PAYLOAD] for at in range(0, len(data), MAX_PAYLOAD))
    printed = b"".join(encode_shell(1, part) for part in parts) + encode_shell(3, b"\0")
    complete(state.read_sent_messages(FedLink(printed)))


XML = (
    *(b"<node ", b"</node>", b"<node/>", b"<window ", b"</window>", b"<hierarchy", b"</hierarchy>"),
    *(b"<displays>", b"</displays>", b"<display ", b'bounds="[0,0][1,1]"', b"&#55357;&#56834;"),
    *(b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"&a;", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?xml"),
)
WORDS = (
    *(b"Window #", b"Window{", b" u0 ", b"}", b"mCurrentFocus=", b"mFocusedApp=", b"fl=#2000"),
    *(b"ActivityRecord{", b" t12}", b"ResumedActivity: ", b"* Hist #0: ", b"state=STOPPED"),
    *(b"touchable region=SkRegion(", b"(0,0,1,1)", b"mFrame=[0,0][1,1]", b"isOnScreen=true"),
    *(b"* Recent #0: Task{a #", b"intent={", b"cmp=a/.B", b"type=1 ", b" EXITING", b"    ", b"\n"),
)
NOTIFICATIONS = [
    notification_dump.NotificationRecord("0|org.example.mail|12|thread:7|10091", 0x18, None),
    notification_dump.NotificationRecord("0|org.example.mail|12|null|10091", 0x18, None),
    notification_dump.NotificationRecord("0|org.example.music|1|null|10102", 0x62, None),
    notification_dump.NotificationRecord("-1|android|26|null|1000", 0x2, None),
]
NOTIFICATION_WORDS = (
    *(b"    NotificationRecord(0x1: pkg=org.example.mail user=UserHandle{0} id=12 tag=",),
    *(b" importance=3 key=0|org.example.mail|12|null|10091: ", b"      extras={\n", b"      }\n"),
    *(b"          android.title=String (", b"            android.textLines=CharSequence[] (2)"),
    *(b"            [0] ", b"      actions={\n", b'          [0] "', b'" -> null', b"        }\n"),
    *(b"      mUpdateTimeMs=", b" color=0x00000000 category="),
)
ACTIVITIES = _fixtures("dumpsys/activities-*", "dumpsys/recents-*", "dumpsys/displays-*")
WINDOWS = _fixtures("dumpsys/window*", "dumpsys/p*", "dumpsys/displays-*")
LOGS = _fixtures("logcat/*.txt")
LOG_WORDS = (
    *(b"--------- beginning of main\n", b" I ", b": ", b"02-11 09:41:10.123", b"u0_a1 ", b"0001-"),
    *(b" +0100 ", b" -2359 ", b"9999-12-31"),
)
PACKAGES = [
    b"package:/data/app/~~a==/org.example-b==/base.apk=org.example versionCode:12\n",
    b"package:org.example versionCode:12 uid:10123,10124\npackage:a.b\n",
]
PACKAGE_WORDS = (b"package:", b" versionCode:", b" uid:", b"=", b"/", b".")
STATES = [b"1234 1700000000 /data/app/a/base.apk\n99 1700000001 /data/app/b/base.apk\n"]
PROCESSES = f"  PID NAME\n    1 init\n 1200 {APP}\n 1201 {APP}:remote\n".encode()

INTENTS = _fixtures("intents/*.txt")
INTENT_WORDS = (
    *(b"1 activities found:\n", b"  Activity #0:\n", b"    a.b/.C\n", b"No activity found\n", b"/"),
    *(b"exported=true", b"permission=a.b", b"      name=a.b.C\n", b"packageName=a.b", b"\n"),
    *(b" requires a.b", b"not exported from uid 1", b"with revoked permission a.b", b"Error: "),
)

TARGETS = (
    Target(
        "app-functions",
        _each(read_listed_functions, errors=(BadFunctions,)),
        _fixtures("app_functions/list-*"),
        (),
        FUNCTION_WORDS,
        share=3,
    ),
    Target(
        "app-function-replies",
        _each(read_function_reply, errors=(AppFailed,)),
        _fixtures("app_functions/[!l]*"),
        (),
        (*FUNCTION_WORDS, b"(code 1002)", b"Timed out", b"Error executing app function: "),
        share=2,
    ),
    Target(
        "app-function-files",
        read_function_ids,
        lambda: [FUNCTION_FILE],
        (ValueError,),
        (b"<id>", b"</id>", b"<!DOCTYPE a>", b"<appfunction>", b"&lt;", b"]]>"),
        share=2,
    ),
    Target(
        "intents",
        _each(
            read_handlers,
            read_resolved,
            read_denial,
            lambda text: read_closed(text, [Handler("org.example.maps", "org.example.maps.Noted")]),
            errors=(BadList,),
        ),
        INTENTS,
        (),
        INTENT_WORDS,
        share=3,
    ),
    Target(
        "uiautomator",
        _each(read_dump, errors=(BadDump,)),
        _fixtures("screens/*.xml"),
        (),
        XML,
        share=6,
    ),
    Target(
        "captured-screen",
        captured.read_dump,
        _fixtures("screens/*.xml"),
        (captured.DumpError,),
        XML,
        share=4,
    ),
    Target("dumpsys-glance", _each(dumpsys.read_glance), ACTIVITIES, (), WORDS, share=3),
    Target(
        "dumpsys-tasks",
        _each(dumpsys.read_front_task, dumpsys.read_beginners),
        ACTIVITIES,
        (),
        WORDS,
        share=3,
    ),
    Target("dumpsys-resumed", _each(dumpsys.read_resumed), ACTIVITIES, (), WORDS, share=2),
    Target("dumpsys-secure", _each(dumpsys.read_secure), WINDOWS, (), WORDS, share=3),
    Target("dumpsys-keyboard", _each(dumpsys.read_keyboard), WINDOWS, (), WORDS, share=3),
    Target(
        "wm",
        _each(dumpsys.read_size, dumpsys.read_density, dumpsys.read_current_size),
        lambda: [
            b"Physical size: 1080x2400\nOverride size: 720x1600\n",
            b"Physical density: 420\nOverride density: 320\n",
            b"  init=1080x2400 420dpi cur=1080x2400 app=1080x2337\n",
        ],
        (),
        (b"size: ", b"density: ", b"cur="),
        share=4,
    ),
    Target(
        "device",
        _each(
            probes.read_battery,
            probes.read_last_fix,
            probes.read_volume,
            probes.read_night,
            probes.read_rotation,
            probes.read_brightness,
            probes.read_font_scale,
            probes.read_mobile_data,
            probes.read_app_languages,
        ),
        _fixtures("device/battery-*", "device/location-*", "device/volume-*"),
        (),
        (
            b"level: ",
            b"Location[gps ",
            b" hAcc=",
            b"volume is ",
            b"Night mode: ",
            b"are [",
            b"null",
        ),
        share=3,
    ),
    Target(
        "reach",
        _each(lambda text: find_reach(text, "192.168.1.20:5555")),
        _fixtures("device/connections-*"),
        (),
        (b" inet ", b" inet6 ", b": wlan0", b"0A ", b"01 ", b" 2000 ", b":15B3"),
        share=2,
    ),
    Target(
        "exit-info",
        _each(
            lambda text: read_exit_info(text, "2026-02-11 09:41:10", 100_000_000),
            lambda text: read_exit_info("", text, 5),
            lambda text: read_exit_log(text, APP, 0),
        ),
        _fixtures("dumpsys/exit-info-*", "logcat/crash-*"),
        (),
        (b"ApplicationExitInfo #0:", b"timestamp=", b"reason=", b"status=", b"description="),
        share=4,
    ),
    Target(
        "exit-records",
        _each(read_exit_records),
        _fixtures("dumpsys/exit-info-*"),
        (),
        (b"  package: a.b\n", b"        ApplicationExitInfo #0:\n", b" timestamp=", b" reason="),
        share=3,
    ),
    Target(
        "content-rows",
        _each(
            lambda text: read_numbers(text, ("_id", "date", "type", "read", "sub_id")),
            lambda text: read_texts(text, ("_id",), "body", {(42,), (43,)}, cut_off=False),
            lambda text: read_single(text, "body"),
            errors=(ContentFailed, LookupError),
        ),
        _fixtures("content/*.txt"),
        (),
        (b"\nRow: 1 _id=42, body=", b"Row: 0 body=", b"NULL", b"No result found.\n", b", date="),
        share=3,
    ),
    Target(
        "drop-box",
        _each(
            lambda text: read_drop_box(text, text),
            lambda text: read_drop_box(DROPPED, text),
        ),
        _fixtures("dumpsys/dropbox-*"),
        (),
        (b"=" * 40 + b"\n", b"\n\n", b"Process: ", b"PID: ", b" (text, 402 bytes)\n"),
        share=4,
    ),
    Target(
        "performance",
        _each(
            lambda text: measurement.read_printed(APP, text, "", "", ""),
            lambda text: measurement.read_printed(APP, "", text, text, text),
        ),
        _fixtures(
            "dumpsys/meminfo-*", "dumpsys/gfxinfo-*", "dumpsys/cpuinfo-*", "logcat/started-*"
        ),
        (),
        (b"** MEMINFO in pid 2013 [a.b] **\n", b" App Summary\n", b"TOTAL PSS: 5", b"% 5/a: "),
        share=4,
    ),
    Target(
        "crash-log",
        _each(lambda text: read_crash_log(text, NOW)),
        _fixtures("logcat/crash-*", "logcat/native-crash-*"),
        (),
        (b"FATAL EXCEPTION: ", b"Process: a.b, PID: 5", b"*** *** ***", b">>> a.b <<<"),
        share=4,
    ),
    Target(
        "dumpsys-notification",
        _each(lambda text: notification_dump.read_printed(text, NOTIFICATIONS, {0})),
        _fixtures("dumpsys/notification-*"),
        (),
        NOTIFICATION_WORDS,
        share=4,
    ),
    Target(
        "notification-proto",
        notification_dump.read_records,
        lambda: [
            encode([RecordProto(record.key, record.flags) for record in NOTIFICATIONS]),
            encode([RecordProto("0|a.b|1|null|10001")], one_message=True),
        ],
        (notification_dump.BadNotificationDump,),
        (b"\x0a", b"\x10\x01", b"\xff\xff\xff\xff\x0f", b"\x4a"),
        share=3,
    ),
    Target(
        "dumpsys-package",
        _each(
            lambda text: read_package_dump(text, "org.example.notes", 0),
            lambda text: read_package_dump(text, "org.example.maps", 10),
        ),
        _fixtures("dumpsys/package-*"),
        (),
        (
            *(b"Packages:\n", b"  Package [", b"Shared users:\n", b"    User 0:", b"versionCode="),
            *(b"granted=true", b"permissions:\n", b"installed=true", b", userId=", b"flags=[ "),
        ),
        share=3,
    ),
    Target(
        "pm-install",
        _each(read_answer),
        lambda: [
            b"Success\n",
            b"Failure [INSTALL_FAILED_TEST_ONLY: installPackageLI]\n",
            b"Exception occurred while executing 'install':\njava.lang.SecurityException: no\n",
        ],
        (),
        (b"Failure [", b"Success", b"]", b": "),
        share=2,
    ),
    Target(
        "pm-packages",
        _each(
            read_packages,
            lambda text: list(read_listed(text)),
            errors=(BadList, BadPackages),
        ),
        lambda: PACKAGES,
        (),
        PACKAGE_WORDS,
        share=3,
    ),
    Target(
        "pm-components",
        _each(
            read_components,
            read_launchable,
            lambda text: read_resolver(text, "Service Resolver Table:", ["mobile.mcp.SERVICE"]),
            errors=(BadList,),
        ),
        lambda: [
            TABLES.encode(),
            *_fixtures("dumpsys/package-*", "dumpsys/services-*")(),
            b"org.example/.Main\ncom.example/.Other\n",
        ],
        (),
        (*PACKAGE_WORDS, b"Service Resolver Table:", b"      "),
        share=3,
    ),
    Target("stat", _each(read_states, errors=(BadList,)), lambda: STATES, (), (b" /",), share=2),
    Target(
        "ps",
        _each(lambda text: dumpsys.read_processes(text, APP)),
        lambda: [PROCESSES, LISTING.encode()],
        (),
        (b" ", b":"),
        share=2,
    ),
    Target(
        "ps-conflicts",
        _each(lambda text: describe_conflicts(parse_conflicts(text))),
        lambda: [LISTING.encode(), PROCESSES],
        (),
        (b"app_process", b"uiautomator", b"am instrument", b"/", b" "),
        share=2,
    ),
    Target(
        "df-getprop",
        _each(parse_free_mb, parse_properties),
        lambda: [
            b"Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/fuse 9 1 8 1% /storage\n",
            b"[ro.product.model]: [Pixel 7]\n[ro.build.version.sdk]: [34]\n",
        ],
        (),
        (b"[", b"]: [", b"]\n", b" "),
        share=2,
    ),
    Target("logcat", _each(partial(read_log, zone=None)), LOGS, (), LOG_WORDS, share=3),
    Target("logcat-zone", _each(partial(read_log, zone=UTC)), LOGS, (), LOG_WORDS, share=3),
    Target(
        "content",
        answer_queries,
        lambda: [b"Row: 0 _id=5, address=+36201234567\nRow: 1 _id=6, address=\n"],
        (OutputTooLong,),
        (b"Row: ", b" _id=", b", address=", b"No result found."),
        share=2,
    ),
)
