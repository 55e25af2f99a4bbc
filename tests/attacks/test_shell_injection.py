"""Every argument of every tool holds a command: the phone's shell runs none of them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import pytest

from attacks.conftest import AGENT, Target
from handheld.access.approval import ApprovalGate
from handheld.adb import shell
from handheld.calls.protocols import Surface
from handheld.errors import ToolError
from handheld.phone.files.files import Files
from handheld.phone.files.storage import StorageFile
from handheld.phone.personal.sms import Sms
from handheld.phone.personal.sms_rules import SmsRules
from handheld.settings.rules import Rules
from handheld.tools.tool import Listing
from handheld_virtual.files.entry import ROOT
from handheld_virtual.packages.app import Activity, App
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.process import Process, Program
from handheld_virtual.views.layout import Column
from handheld_virtual.views.view import MATCH, View
from handheld_virtual.views.widgets.field import Field
from harness.patient_clock import PatientClock
from harness.phones import link_to

ATTACK = "shell injection"

EVIL = "pwned"
"""A program on the phone that nobody runs, and the name of the files that it would make."""
MADE = (f"/data/local/tmp/{EVIL}", f"/storage/emulated/0/{EVIL}", f"/{EVIL}")
COMMANDS = (
    ";pwned",
    "$(pwned)",
    "'\npwned\n'",
    "; pwned #",
    "&&pwned",
    "||pwned",
    "|pwned",
    "&pwned&",
    "\npwned\n",
    "\r\npwned\r\n",
    "`pwned`",
    "$(pwned",
    "';pwned;'",
    '";pwned;"',
    '"\npwned\n"',
    "\\';pwned;#",
    "'\\'';pwned;'\\''",
    "'$(pwned)'",
    '"$(pwned)"',
    "${x:-$(pwned)}",
    "$((a[$(pwned)]))",
    "<(pwned)",
    ">/data/local/tmp/pwned",
    "';>/data/local/tmp/pwned;'",
    ">>/storage/emulated/0/pwned",
    "x=1 pwned",
    "$IFS;pwned",
    "${IFS}&&${IFS}pwned",
    "{pwned,}",
    "%s;pwned",
    "%s$(pwned)",
    "\\;pwned",
    "\\\n;pwned",
    "!pwned",
    "*;pwned",
    "/../../system/bin/pwned",
    "\t;pwned",
    "\x1b;pwned",
    "\x0b;pwned",
    "\x00;pwned",
    "’;pwned;’",
    "＇；pwned；＇",
    "\ud800';pwned;'",
    "\nEOF\npwned\nEOF\n",
    ")\npwned\n(",
    "esac; pwned; case x in",
    "} ; pwned ; {",
    "done; pwned; do",
    " -e ;pwned",
    " --user 0;pwned",
    " -a x -d $(pwned)",
    "#';pwned",
)
OURS = frozenset((
    "[", "am", "app_process", "cat", "cmd", "content", "date", "df", "dumpsys", "getprop", "grep",
    "head", "input", "logcat", "mkdir", "mv", "pm", "ps", "readlink", "rm", "screencap", "settings",
    "sed", "sha256sum", "sleep", "stat", "tail", "touch", "tr", "uiautomator", "wm",
))  # fmt: skip
"""The programs that Handheld runs."""

DOWNLOAD = "com.android.externalstorage.documents/primary:Download"
PACKAGE = "com.android.settings"
GESTURE = [[{"x": 5, "y": 900, "time": 0}, {"x": 9, "y": 900, "time": 20}]]
USUAL: Mapping[str, Any] = {
    "text": "a", "search": "a", "new_text": "b", "offset": 0, "key": "ENTER", "by": "text",
    "value": "a", "location_id": DOWNLOAD, "path": "a.txt", "content": "a", "old_string": "a",
    "new_string": "b", "url": "https://files.test/a", "package_id": PACKAGE, "x": 5, "y": 900,
    "x1": 5, "y1": 900, "x2": 9, "y2": 900, "center_x": 500, "center_y": 900, "scale": 1.5,
    "to_phone_number": "+15551234567", "sms_text": "a", "direction": "down", "paths": GESTURE,
    "timeout": 1, "typing_speed": 10, "seconds": 1, "at": "5,900", "to": "9,900", "app": PACKAGE,
    "what": "Settings", "tag": "Tag", "package_name": PACKAGE, "since": "2024-01-15T10:30:00",
    "of": "a", "old": "a", "steps": [], "run": "a", "name_query": "a", "filter": "all",
    "camera_id": "0", "from": "2026-02-11", "query": "a", "with": "a",
}  # fmt: skip
"""What is given for parameters that are not attacked, and before the command for the one that is.
"""
OPTIONS = {"phone_read": "what", "phone_file": "action", "phone_app": "action", "phone_set": "what"}
"""The parameters of which every value is tried."""


class Form(Activity):
    name = ".Form"

    def content(self) -> View:
        return Column(Field("a", id="field", width=MATCH))


class FormApp(App):
    package, label = "org.example.form", "Form"
    main = ".Form"
    activities: ClassVar[Mapping[str, type[Activity]]] = {".Form": Form}


class Watch:
    """The programs that run on the phone, and the files that a command would make."""

    def __init__(self, device: VirtualPhone) -> None:
        self._files = device.files
        self.ran: set[str] = set()
        device.files.create(f"/system/bin/{EVIL}", 0o755, user=ROOT).close()
        device.programs[EVIL] = _nothing
        for name, program in device.programs.items():
            device.programs[name] = self._noting(name, program)

    def _noting(self, name: str, program: Program) -> Program:
        async def run(process: Process) -> int:
            self.ran.add(name)
            return await program(process)

        return run

    def made(self) -> list[str]:
        return [path for path in MADE if self._files.exists(path, ROOT)]


async def _nothing(_: Process) -> int:
    return 0


def attacks(
    listing: Listing, commands: Sequence[str], element: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each parameter with each command, alone and behind what is usual."""
    properties: Mapping[str, Mapping[str, Any]] = listing.input_schema["properties"]
    usual = {**USUAL, "element_id": element, "ids": [element], "into": element}
    option = OPTIONS.get(listing.name)
    values: list[Any] = [properties[option]["enum"][0]] if option else [None]
    for attacked in properties:
        if option is not None and attacked != option:
            values = properties[option]["enum"]
        for value in values:
            given = {name: usual[name] for name in properties if name in usual}
            if option is not None:
                given[option] = value
            for command in commands:
                before = usual.get(attacked, "")
                hostile = f"{before if isinstance(before, str) else ''}{command}"
                kind = properties[attacked].get("type")
                yield attacked, {**given, attacked: [hostile] if kind == "array" else hostile}
        if listing.name == "phone_do" and attacked == "steps":
            for command in commands:
                yield attacked, {"steps": [{"tool": "type", "text": command}]}
                yield attacked, {"steps": [{"tool": "open", "what": command}]}


async def nowhere(host: str, port: int) -> list[str]:
    return []


@pytest.fixture
def watch(target: Target, tmp_path: Path) -> Watch:
    storage = StorageFile(tmp_path / "storage.toml")
    storage.put(DOWNLOAD, allow_write=True, allow_delete=True)
    target.phone.files = Files(
        target.phone.driver, PatientClock(), storage, ["virtual"], resolve=nowhere
    )
    rules = SmsRules(parts_per_minute=10**9)
    target.phone.sms = Sms(target.phone.driver, target.phone.clock, rules)
    target.world.install(FormApp)
    target.rule(ApprovalGate(Rules()))
    return Watch(target.device)


@pytest.mark.parametrize(
    ("commands", "step", "count"),
    [(COMMANDS[:1], 1, 1), pytest.param(COMMANDS, 7, 3, marks=pytest.mark.matrix)],
    ids=["few", "all"],
)
async def test_no_argument_is_a_command_of_the_shell(
    target: Target,
    watch: Watch,
    commands: Sequence[str],
    step: int,
    count: int,
    tried: Callable[[], None],
) -> None:
    """`step` leaves out attacks, so that each parameter meets others of the commands."""
    surfaces: list[Surface] = [target.main, target.agent, target.v1]
    for surface in surfaces[:count]:
        for listing in await surface.tools():
            element = await show_form(target)
            for attacked, arguments in islice(attacks(listing, commands, element), 0, None, step):
                tried()
                with suppress(ToolError):
                    await target.passing(surface.call(listing.name, arguments, AGENT))
                found = (listing.name, attacked, arguments[attacked])
                assert EVIL not in watch.ran, found
                assert watch.made() == [], found
                if not target.world.is_in_front(FormApp.package):
                    await show_form(target)
    assert watch.ran <= OURS, " ".join(sorted(watch.ran - OURS))


async def show_form(target: Target) -> str:
    """The id of its field."""
    target.world.show(FormApp.package)
    [item] = await target.call("find_elements", by="resource_id", value="field")
    return str(json.loads(str(item))["elements"][0]["id"])


async def test_a_command_that_runs_is_noticed(target: Target, watch: Watch) -> None:
    async with link_to(target.device) as link:
        line = f"echo x; {EVIL} > /data/local/tmp/{EVIL}"
        stream = await shell.spawn(link, line)
        await shell.finish(stream, "echo", None, 1000)
    assert EVIL in watch.ran
    assert watch.made() == [MADE[0]]
