"""The command lines, and what the services answer to them."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .phone import DEFAULT, OFF, PLAYER, SYSTEM

UNRESOLVED, NOT_FOUND, TO_FRONT, TO_TOP = "-91", "-92", "2", "3"
"""Results of starting an activity."""
SERVICES = (
    *("activity", "package", "input", "notification", "statusbar", "uimode", "window"),
    *("record", "configuration"),
)

HELP = (
    *("Usage: input", "usage: cmd", "Activity manager (", "Package manager (", "Status bar com"),
    *("UiModeManager service", "Window manager ("),
)
"""How help texts begin. Only their first line is compared."""


@dataclass(frozen=True)
class Case:
    service: str
    """The service whose command it is; `record` is a notification in `dumpsys notification`,
    `configuration` the screen's in other dumps."""
    words: tuple[str, ...]
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    """What methods of the services answer whose names begin so; `throw …` is an exception."""
    before: tuple[str, ...] = ()
    """Commands that bring the virtual phone into the state in which Android's would answer so."""

    @property
    def line(self) -> str:
        if self.service == "record":
            return f"dumpsys notification{'' if self.words[-1] == 'redacted' else ' --noredact'}"
        if self.service == "configuration":
            return "dumpsys activity activities"
        return shlex.join(("cmd", self.service, *self.words))


def cases() -> Iterator[Case]:
    yield from _activity()
    yield from _package()
    yield from _input()
    yield from _others()


def _activity() -> Iterator[Case]:
    def am(line: str, *before: str, **answers: str) -> Case:
        return Case("activity", tuple(shlex.split(line)), answers, before)

    yield am("")
    yield am("help")
    yield am("nope")
    yield am("nope --user 0 x")
    for intent in _INTENTS:
        found = NOT_FOUND if "none/" in intent or "-n /" in intent else UNRESOLVED
        yield am(f"start {intent}", startActivity=found)
    for options in _START_OPTIONS:
        yield am(f"start {options} -a org.words.NOTHING", startActivity=UNRESOLVED)
    for word in _VALUED:
        yield am(f"start {word}")
        if word.startswith("--e"):
            yield am(f"start {word} key")
    main = f"-n {PLAYER}/.Main"
    stop, home = f"am force-stop {PLAYER}", "input keyevent HOME"
    for verb in ("start", "start-activity"):
        yield am(f"{verb} {main}", stop)
        yield am(f"{verb} {main}", stop, f"am start {main}", startActivity=TO_TOP)
        yield am(f"{verb} {main}", stop, f"am start {main}", home, startActivity=TO_FRONT)
        yield am(f"{verb} -n {PLAYER}/.Nope", startActivity=NOT_FOUND)
        yield am(f"{verb} -n org.words.none/.Nope --es a b", startActivity=NOT_FOUND)
        yield am(f"{verb} {PLAYER}", stop)
        yield am(f"{verb} org.words.none", startActivity=UNRESOLVED)
    yield am(f"start -S {main}", stop)
    yield am("start -S -a org.words.NOTHING", queryIntentActivities="")
    seen = f"activity,{PLAYER},{PLAYER}.Seen,0x108000,0,1"
    yield am("start -S -a org.words.SEE", stop, queryIntentActivities=seen)
    cold = f"0,{PLAYER}/.Main,20,1"
    yield am(f"start -W {main}", stop, startActivityAndWait=cold)
    yield am(f"start -W -S {main}", stop, startActivityAndWait=cold)
    yield am(
        f"start -W {main}", stop, f"am start {main}", startActivityAndWait=f"3,{PLAYER}/.Main,0,0"
    )
    yield am(
        f"start -W {main}",
        *(stop, f"am start {main}", home),
        startActivityAndWait=f"2,{PLAYER}/.Main,20,3",
    )
    for intent in ("-a org.words.NOTHING", f"-n {PLAYER}/.Nope"):
        code = NOT_FOUND if "-n" in intent else UNRESOLVED
        yield am(f"start -W {intent}", startActivityAndWait=code)
    hidden = (
        "throw java.lang.SecurityException: Permission Denial: starting Intent { flg=0x10000000"
        f" cmp={PLAYER}/.Hidden }} from null (pid=400, uid=2000) not exported from uid {{uid}}"
    )
    yield am(f"start -n {PLAYER}/.Hidden", startActivity=hidden)
    yield am(
        f"start -n {PLAYER}/.Sealed",
        startActivity=hidden.replace("Hidden", "Sealed").partition(" not exp")[0]
        + " requires org.words.GUARD",
    )
    # As Handheld itself says it: every part of the intent, and the component.
    yield am(
        f"start --user 0 -a org.words.SEE -c {DEFAULT} -n {PLAYER}/.Seen -f 0x10000000"
        " --es text 'a b' --ez on true --ei few 3 --el many 9999999999 --ef part 0.5"
        " --esal names 'a,b c'",
        stop,
    )

    for verb in ("startservice", "start-service", "stopservice", "stop-service"):
        yield am(verb)
        yield am(f"{verb} -Z")
        yield am(f"{verb} -n {PLAYER}/.Nope", startService="")
        yield am(f"{verb} -n org.words.none/.Nope", startService="")
        yield am(f"{verb} -a org.words.NOTHING -p {PLAYER}", startService="")
        yield am(f"{verb} --user foo -n {PLAYER}/.Open", startService="")
    for verb in ("start-foreground-service", "startforegroundservice"):
        yield am(f"{verb} -n {PLAYER}/.Open", startService=f"{PLAYER}/.Open")
        yield am(f"{verb} {PLAYER}/.Open", startService=f"{PLAYER}/.Open")
        yield am(f"{verb} -n {PLAYER}/.Nope", startService="")
    yield am(f"startservice -n {PLAYER}/.Guarded", startService="!/org.words.GUARD")
    yield am(f"startservice -n {PLAYER}/.Closed", startService="!/not exported from uid {uid}")
    yield am(
        f"startservice -n {PLAYER}/.Open", stop, startService="?/app is in background uid null"
    )

    yield am("broadcast")
    for intent in _INTENTS[:12]:
        yield am(f"broadcast {intent}")
    yield am(f"broadcast -a org.words.HEAR -n {PLAYER}/.Ear --es k v")
    heard = f"-a org.words.HEAR -p {PLAYER}"
    yield am(f"broadcast --user 0 {heard} -f 0x20 --es k v")
    yield am(f"broadcast --include-stopped-packages {heard}")
    yield am(f"broadcast {heard}", stop)
    booted = "android.intent.action.BOOT_COMPLETED"
    refused = (
        "throw java.lang.SecurityException: Permission Denial: not allowed to send broadcast"
        f" {booted} from pid=400, uid=2000"
    )
    yield am(f"broadcast -a {booted} -p {PLAYER}", broadcastIntent=refused)
    yield am("broadcast --receiver-permission org.words.P -a org.words.NOTHING")
    yield am("broadcast --allow-background-activity-starts -a org.words.NOTHING")
    yield am("broadcast --async -a org.words.NOTHING")
    yield am("broadcast --user all -a org.words.NOTHING")
    yield am("broadcast --user foo -a org.words.NOTHING")
    yield am("broadcast -Z")

    for verb in ("force-stop", "kill", "stop-app"):
        yield am(verb)
        yield am(f"{verb} {PLAYER}")
        yield am(f"{verb} org.words.none")
        yield am(f"{verb} --user 0 {PLAYER}")
        yield am(f"{verb} --user all {PLAYER}")
        yield am(f"{verb} --user current {PLAYER}")
        yield am(f"{verb} --user foo {PLAYER}")
        yield am(f"{verb} --user")
        yield am(f"{verb} --user 0")
        yield am(f"{verb} -Z {PLAYER}")
    for words in ("", "x", "--user 0 x", "--nope x", "12345", f"--user all {PLAYER}", PLAYER):
        yield am(f"crash {words}", stop)
    yield am("kill-all")
    yield am("kill-all x")
    yield am("get-current-user")
    yield am("switch-user")
    yield am("switch-user 0", switchUser="true")
    yield am("switch-user foo")
    yield am("stack list", stop, home)
    yield am("stack")
    yield am("stack nope")
    yield am("instrument")
    yield am("dumpheap")


def _package() -> Iterator[Case]:
    def pm(line: str, *before: str, **answers: str) -> Case:
        return Case("package", tuple(shlex.split(line)), answers, before)

    yield pm("")
    yield pm("help")
    yield pm("nope")
    yield pm("list")
    yield pm("list nope")
    for flags in _LIST_PACKAGES:
        yield pm(f"list packages {flags}")
    yield pm("list package org.words")
    yield pm("list features")
    yield pm("list libraries")
    yield pm("list instrumentation")
    yield pm("list permission-groups")
    for flags in ("", "-g", "-d", "-g -d", "-u", "--nope", "-Z"):
        yield pm(f"list permissions {flags}")
    for verb in ("path", "clear", "enable", "disable", "disable-user", "grant", "revoke"):
        yield pm(verb)
        yield pm(f"{verb} --user foo {PLAYER}")
    yield pm(f"path {PLAYER}")
    yield pm(f"path {SYSTEM}")
    yield pm(f"path --user 0 {PLAYER}")
    yield pm("path org.words.none")
    yield pm(f"path -Z {PLAYER}")
    yield pm(f"clear {PLAYER}", clearApplicationUserData="true")
    yield pm(f"clear --user 0 {PLAYER}", clearApplicationUserData="true")
    yield pm("clear org.words.none", clearApplicationUserData="false")
    yield pm(f"enable {PLAYER}")
    yield pm(f"disable-user {PLAYER}")
    yield pm(f"enable {PLAYER}")
    yield pm(f"enable --user 0 {PLAYER}")
    unknown = "throw java.lang.IllegalArgumentException: Unknown package: org.words.none"
    for verb in ("enable", "disable", "disable-user"):
        yield pm(f"{verb} org.words.none", setApplicationEnabledSetting=unknown)
    shell = "throw java.lang.SecurityException: Shell cannot change component state for"
    yield pm(f"disable {PLAYER}", setApplicationEnabledSetting=f"{shell} null to 2")
    for verb, number in (("enable", 1), ("disable", 2), ("disable-user", 3)):
        refused = f"{shell} {PLAYER}/{PLAYER}.Main to {number}"
        yield pm(f"{verb} {PLAYER}/.Main", setComponentEnabledSetting=refused)
    for verb in ("grant", "revoke"):
        yield pm(f"{verb} {PLAYER}")
        yield pm(f"{verb} {PLAYER} android.permission.CAMERA")
        yield pm(f"{verb} --user 0 {PLAYER} android.permission.CAMERA")
        method = f"{verb}RuntimePermission"
        yield pm(f"{verb} org.words.none android.permission.CAMERA", **{method: unknown})
        asked = "android.permission.READ_SMS"
        refused = (
            f"throw java.lang.SecurityException: Package {PLAYER} has not requested permission"
            f" {asked}"
        )
        yield pm(f"{verb} {PLAYER} {asked}", **{method: refused})
        refused = (
            "throw java.lang.SecurityException: Permission android.permission.INTERNET requested by"
            f" {PLAYER} is not a changeable permission type"
        )
        yield pm(f"{verb} {PLAYER} android.permission.INTERNET", **{method: refused})
    yield pm("reset-permissions")
    yield pm("get-install-location")
    yield pm("has-feature")
    yield pm("has-feature android.hardware.touchscreen")
    yield pm("has-feature android.hardware.nope")
    yield from _resolving()
    yield pm("uninstall")
    yield pm("uninstall -Z x")
    failed = "1:DELETE_FAILED_INTERNAL_ERROR"
    yield pm("uninstall org.words.none", uninstall=failed)
    yield pm("uninstall -k org.words.none", uninstall=failed)
    yield pm("uninstall --user 0 org.words.none", uninstall=failed)
    yield pm("uninstall --user")
    yield pm("uninstall --user foo org.words.none")
    yield pm("uninstall --versionCode x org.words.none")
    yield pm(f"uninstall --versionCode 3 {PLAYER}", uninstall=failed)
    yield pm("install")
    yield pm("install -r")
    yield pm("install -S")
    yield pm("install -S x")
    yield pm("install -Z")
    yield pm("install --nope x")
    yield pm("install -i")
    yield pm("install -r -t -d -g -S")
    yield pm("install-create -Z")
    yield pm("install-create -S x")
    session = "throw java.lang.SecurityException: Caller has no access to session 4000"
    for verb in ("install-abandon", "install-commit"):
        yield pm(verb)
        yield pm(f"{verb} x")
        yield pm(f"{verb} 4000", openSession=session)
        yield pm(f"{verb} -Z 4000", openSession=session)
    yield pm("install-write")
    yield pm("install-write -S x 4000 a -")
    yield pm("install-write -Z 4000 a -")
    yield pm(f"disable-user {OFF}")


def _resolving() -> Iterator[Case]:
    found = {
        "activities": f"activity,{PLAYER},{PLAYER}.Seen,0x108000,0,1",
        "services": f"service,{PLAYER},{PLAYER}.Open,0x108000,0,1",
        "receivers": f"activity,{PLAYER},{PLAYER}.Ear,0x108000,0,1",
    }
    actions = {
        "activities": "org.words.SEE",
        "services": "org.words.SERVE",
        "receivers": "org.words.HEAR",
    }

    def make(line: str, **answers: str) -> Case:
        return Case("package", tuple(shlex.split(line)), answers)

    yield make("resolve-activity")
    yield make("resolve-activity -a org.words.NOTHING")
    yield make("resolve-activity -Z")
    yield make("resolve-activity --user foo -a org.words.SEE")
    for options in ("", "--brief", "--components", "--brief --user 0", "--query-flags 0 --brief"):
        yield make(
            f"resolve-activity {options} -a org.words.SEE", resolveIntent=found["activities"]
        )
    # Several take it, and none is the owner's choice.
    both = ";".join(f"activity,{PLAYER},{PLAYER}.{name},0x108000,0,1" for name in ("Main", "Seen"))
    asked = f"--brief --user 0 -a org.words.BOTH -c {DEFAULT}"
    yield make(f"query-activities {asked}", queryIntentActivities=both)
    for kind, action in actions.items():
        verb = f"query-{kind}"
        answer = f"queryIntent{kind.capitalize()}"
        yield make(verb)
        yield make(f"{verb} -a org.words.NOTHING")
        yield make(f"{verb} --brief -a org.words.NOTHING")
        yield make(f"{verb} --components -a org.words.NOTHING")
        yield make(f"{verb} -Z")
        for options in ("", "--brief", "--components", "--user 0 --brief"):
            yield make(f"{verb} {options} -a {action}", **{answer: found[kind]})


def _input() -> Iterator[Case]:
    for line in _INPUT:
        yield Case("input", tuple(shlex.split(line)))


def _others() -> Iterator[Case]:
    for service, lines in _OTHERS.items():
        for line in lines:
            yield Case(service, tuple(shlex.split(line)))
    refused = (
        "throw java.lang.IllegalArgumentException: Rotation argument must be -1 or a valid"
        " rotation constant."
    )
    for verb in ("user-rotation", "set-user-rotation"):
        yield Case("window", (verb, "lock", "4"), {"freeze": refused})
    for redacted in ("redacted", "shown"):
        # What the service keeps: package, uid, number, title, text.
        yield Case("record", (PLAYER, "10102", "0", "Title", "Some text", redacted))
    yield Case("configuration", (), before=("wm size reset", "wm density reset"))
    icons = "battery;clock;wifi;mobile;airplane;bluetooth"
    yield Case("statusbar", ("get-status-icons",), {"getStatusBarIcons": icons})


_BOOLEANS = ("true", "false", "TRUE", "t", "F", "1", "0", "-3", "yes", "''")
_INTEGERS = ("5", "-5", "0x10", "010", "+7", "5.0", "2147483648", "x")
_NOTHING = "-a org.words.NOTHING"
_INTENTS = (
    _NOTHING,
    f"{_NOTHING} -d tel:+36201234567",
    f"{_NOTHING} -d https://user:word@example.org:8080/a/b?c=d#e",
    f"{_NOTHING} -d http://example.org",
    f"{_NOTHING} -d content://org.words/one/two?x=1",
    f"{_NOTHING} -d file:///sdcard/a.txt -t text/plain",
    f"{_NOTHING} -d mailto:a.b@example.org",
    f"{_NOTHING} -d words:opaque",
    f"{_NOTHING} -d geo:47.5,19.0?z=3",
    f"{_NOTHING} -c org.words.ONE -c org.words.TWO -c org.words.ONE",
    f"{_NOTHING} -p {PLAYER}",
    f"{_NOTHING} -f 0x10008000 --es key value",
    f"{_NOTHING} -d sms:+3620;x",
    f"{_NOTHING} -d smsto:123",
    f"{_NOTHING} -d sip:a@example.org",
    f"{_NOTHING} -d rtsp://example.org/a",
    f"{_NOTHING} -d ftp://example.org/a/b",
    f"{_NOTHING} -d words://host/path",
    f"{_NOTHING} -d words:///path",
    f"{_NOTHING} -d words://host",
    f"{_NOTHING} -d words://host:80/path#part",
    f"{_NOTHING} -d no-scheme",
    f"{_NOTHING} -d nfc:x-y",
    f"{_NOTHING} -d package:{PLAYER}",
    f"{_NOTHING} -d HTTP://EXAMPLE.ORG/A",
    f"{_NOTHING} -t text/plain",
    f"{_NOTHING} -t Text/Plain",
    f"{_NOTHING} -i mark",
    f"{_NOTHING} -f 268435456",
    f"{_NOTHING} -f 0xffffffff",
    f"{_NOTHING} -f -1",
    f"{_NOTHING} -f 010",
    f"{_NOTHING} -f #ff",
    f"{_NOTHING} -f 1_0",
    f"{_NOTHING} -f many",
    f"{_NOTHING} -f ''",
    f"{_NOTHING} -e a b --es c 'd e'",
    f"{_NOTHING} --esn a",
    *(f"{_NOTHING} --ez a {word}" for word in _BOOLEANS),
    *(f"{_NOTHING} --ei a {word}" for word in _INTEGERS),
    *(f"{_NOTHING} --el a {word}" for word in ["5", "-5", "0x10", "9223372036854775808", "x"]),
    *(f"{_NOTHING} --ef a {word}" for word in ["1.5", "2", "-3e2", "1f", "NaN", "x"]),
    f"{_NOTHING} --ed a 1.5",
    f"{_NOTHING} --eu a words://x",
    f"{_NOTHING} --ecn a {PLAYER}/.Main",
    f"{_NOTHING} --ecn a nothing",
    f"{_NOTHING} --eia a 1,2,3",
    f"{_NOTHING} --eia a 1,x",
    f"{_NOTHING} --eial a 1,2",
    f"{_NOTHING} --ela a 1,2",
    f"{_NOTHING} --elal a 1,2",
    f"{_NOTHING} --efa a 1.5,2",
    f"{_NOTHING} --efal a 1.5,2",
    f"{_NOTHING} --eda a 1.5,2",
    f"{_NOTHING} --edal a 1.5,2",
    f"{_NOTHING} --esa a 'b,c d,e'",
    rf"{_NOTHING} --esa a 'b\,c,d'",
    rf"{_NOTHING} --esal a 'b\,c,d'",
    f"{_NOTHING} --eba a 1",
    f"{_NOTHING} --es a b --ei a 5",
    *(
        f"{_NOTHING} --{word}"
        for word in (
            *("grant-read-uri-permission", "grant-write-uri-permission"),
            *("grant-persistable-uri-permission", "grant-prefix-uri-permission"),
            *("exclude-stopped-packages", "include-stopped-packages", "debug-log-resolution"),
            *("activity-brought-to-front", "activity-clear-top"),
            *("activity-clear-when-task-reset", "activity-exclude-from-recents"),
            *("activity-launched-from-history", "activity-multiple-task"),
            *("activity-no-animation", "activity-no-history", "activity-no-user-action"),
            *("activity-previous-is-top", "activity-reorder-to-front"),
            *("activity-reset-task-if-needed", "activity-single-top", "activity-clear-task"),
            *("activity-task-on-home", "activity-match-external", "activity-launch-adjacent"),
            *("activity-new-task", "receiver-registered-only", "receiver-replace-pending"),
            *("receiver-foreground", "receiver-no-abort", "receiver-include-background"),
            *("selector", "nope"),
        )
    ),
    "words:positional",
    "https://example.org/path",
    "org.words.none/.Nope",
    f"{_NOTHING} org.words.none",
    f"{_NOTHING} -c org.words.ONE org.words.none",
    f"{_NOTHING} words:positional",
    "-d words:one words:two",
    "-c org.words.ONE words:two",
    "org.words.none extra words",
    "-n nothing",
    f"-n {PLAYER}/",
    "-n /x",
    "",
    "--es a b",
    "-f 1",
    "-p org.words.none",
    "-t text/plain",
    "-c org.words.ONE",
    "-- -a x",
    "'intent:#Intent;action=org.words.NOTHING;end'",
    "'intent:words#Intent;scheme=words;S.key=value;i.number=3;end'",
    "'#Intent;action=org.words.NOTHING;end'",
)
_START_OPTIONS = (
    *("-D", "-N", "-W", "-R 1", "-R 0", "-R x", "--streaming"),
    *("--sampling 10", "--sampling x"),
    *("--attach-agent a", "--attach-agent-bind a", "--track-allocation"),
    *("--user 0", "--user current", "--user cur", "--user all", "--user foo", "--user -2"),
    *("--display 0", "--display x", "--windowingMode 1", "--windowingMode x"),
    *("--activityType 1", "--activityType x", "--task 1", "--task x", "--task-overlay"),
    *("--lock-task", "--allow-background-activity-starts", "--splashscreen-icon"),
    *("--splashscreen-show-icon", "--dismiss-keyguard", "--dismiss-keyguard-if-insecure"),
    *("--stack 1", "--receiver-permission x", "--async", "-Z", "--nope", "-", "-x y"),
)
_VALUED = (
    *("-a", "-d", "-t", "-i", "-c", "-n", "-p", "-f", "-e", "--es", "--esn", "--ez", "--ei"),
    *("--el", "--ef", "--eu", "--ecn", "--eia", "--ela", "--efa", "--esa", "--user", "-R"),
    *("-P", "--display", "--task", "--windowingMode", "--activityType", "--start-profiler"),
)
_LIST_PACKAGES = (
    *("", "-f", "-d", "-e", "-s", "-3", "-i", "-l", "-u", "-U", "-a", "-lf"),
    *("--show-versioncode", "--apex-only", "--factory-only", "--show-stopped"),
    *("--match-libraries", "--user 0", "--user current", "--user all", "--user foo", "--user"),
    *("--uid 10102", "--uid", "--uid x", "--uid -1", "-f -U -i --show-versioncode"),
    *("-s -f", "-3 -U", "-3 -i", "-3 --show-versioncode", "-d -3", "-e -3", "-s -3"),
    *("words", "player", "org.words.none", "-3 player", "player -3", "player off", "-Z"),
    *("--nope", "-f -Z player", "--", "-", "-f --show-stopped --show-versioncode -U -i"),
    *("--user 0 -3 player", "-fU", ""),
)
_INPUT = (
    *("", "help", "-h", "nope", "touchscreen", "touchscreen nope", "nope tap 1 2", "-d"),
    *("-d 0 tap 1 2", "-d x tap 1 2", "-d DEFAULT_DISPLAY tap 1 2", "-d INVALID_DISPLAY tap 1 2"),
    *("-d 0", "-d 0 nope", "touchscreen -d 0 tap 1 2", "-d 0 touchscreen tap 1 2"),
    *("tap", "tap 1", "tap 1 2", "tap 1.5 -2e1", "tap x 2", "tap 1 y", "tap 1 2 3", "tap '' 2"),
    *("touchscreen tap 1 2", "stylus tap 1 2", "mouse tap 1 2", "keyboard tap 1 2"),
    *("rotaryencoder tap 1 2", "touchpad tap 1", "trackball tap 1 2", "TOUCHSCREEN tap 1 2"),
    *("swipe", "swipe 1", "swipe 1 2 3", "swipe 1 2 3 4", "swipe 1 2 3 4 0", "swipe 1 2 3 4 x"),
    *("swipe 1 2 3 x", "swipe 1 2 3 4 5 6", "swipe 1 2 3 4 -1", "swipe 1 2 3 4 99999999999"),
    *("draganddrop", "draganddrop 1 2 3", "draganddrop 1 2 3 x"),
    *(
        "press",
        "press x",
        "trackball press",
        "roll",
        "roll 1",
        "roll 1 1",
        "roll x 1",
        "roll 1 1 1",
    ),
    *("text", "keyboard text"),
    *("keyevent", "keyevent 3", "keyevent HOME", "keyevent KEYCODE_HOME", "keyevent home"),
    *("keyevent nope", "keyevent 0", "keyevent -1", "keyevent 99999", "keyevent 3 4 nope"),
    *("keyevent --longpress", "keyevent --longpress 24", "keyevent --doubletap"),
    *("keyevent --doubletap 24", "keyevent --async 24", "keyevent --async", "keyevent --nope 24"),
    *("keyevent --longpress --doubletap 24", "keyevent 24 --longpress", "keyevent --delay 24"),
    *("keyevent --duration 100 24", "keyevent --duration x 24", "keyevent --delay 10 24 25"),
    *("motionevent", "motionevent DOWN", "motionevent DOWN 1", "motionevent DOWN 1 2"),
    *("motionevent up 1 2", "motionevent MOVE 1 2", "motionevent CANCEL", "motionevent CANCEL 1 2"),
    *("motionevent nope 1 2", "motionevent DOWN x 2", "motionevent UP"),
    *("keycombination", "keycombination 113", "keycombination 113 29", "keycombination nope 29"),
    *("keycombination -t 10 113 29", "keycombination -t", "keycombination -t x 113 29"),
    *("keycombination 113 nope", "scroll", "scroll 1 2", "scroll 1 2 --axis VSCROLL,1"),
)
_OTHERS = {
    "notification": (
        *("", "help", "nope", "nope x", "-h", "get", "get nokey", "snooze", "snooze --for"),
        *("snooze --for 1000", "snooze --for 0 nokey", "snooze --until -5 nokey"),
        *("snooze for 0 nokey", "snooze --duration 0 nokey", "snooze --for x nokey"),
        *("snooze --nope 1000 nokey", "unsnooze", "unsnooze --mute"),
    ),
    "statusbar": ("", "help", "expand-notifications", "expand-settings", "collapse"),
    "uimode": (
        *(
            "",
            "help",
            "nope",
            "night",
            "night yes",
            "night",
            "night no",
            "night auto",
            "night nope",
        ),
        *("night yes no", "night no"),
    ),
    "window": (
        *("", "help", "nope", "size", "size 720x1280", "size", "size reset", "size", "size x"),
        *("size 720", "size 720x", "size x720", "size 0x0", "size -5x6", "size axb", "size 1x2x3"),
        *("size 300dpx600dp", "size", "size reset extra", "size -d 0", "size -d x", "size -d"),
        *("size -d 9", "size 720x1280 -d 0", "size -d 0 reset", "size"),
        *("density", "density 240", "density", "density reset", "density", "density x"),
        *(
            "density 71",
            "density 72",
            "density -5",
            "density 240dp",
            "density reset",
            "density -d 0",
        ),
        *("density -d", "density -d 9", "dismiss-keyguard", "user-rotation", "user-rotation nope"),
        *("user-rotation lock x", "user-rotation lock 0"),
        *("user-rotation free", "user-rotation -d 0 free", "set-user-rotation"),
        *("set-user-rotation free", "set-user-rotation nope"),
        *("set-user-rotation lock 0", "set-user-rotation free"),
    ),
}
