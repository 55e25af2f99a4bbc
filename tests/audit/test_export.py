"""Recorded calls for other programs. The script is run for real."""

import ast
import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handheld.audit import AuditEntry, AuditLog, Recorder
from handheld.audit.export import jsonl, pytest_script
from handheld.audit.masking import MASK
from handheld.calls.agent_tools import make_agent_surface
from handheld.calls.local import Caller, LocalSurface, SurfaceOptions
from handheld.devices.opening import open_devices
from handheld.settings import Settings
from handheld.settings.folders import Folders
from handheld.tools.agent.catalog import AGENT_CATALOG
from handheld.tools.main import CATALOG
from handheld_virtual.phone import VirtualPhone
from harness.patient_clock import PatientClock
from harness.polling import HANG

ENTRY = AuditEntry(
    id=7,
    at=1_794_722_854.25,
    phone="pixel",
    transport="http",
    client="an agent",
    token="owner",
    person=False,
    tool="tap",
    arguments={"x": 540, "y": 1200},
    state="done",
    result=("Tap executed at (540, 1200)",),
    milliseconds=12.5,
)


def test_a_line_of_json_has_everything() -> None:
    [line] = jsonl([ENTRY])
    assert json.loads(line) == {
        "id": 7,
        "at": 1_794_722_854.25,
        "time": "2026-11-15T06:07:34.250+00:00",
        "phone": "pixel",
        "door": "http",
        "client": "an agent",
        "token": "owner",
        "person": False,
        "tool": "tap",
        "arguments": {"x": 540, "y": 1200},
        "state": "done",
        "result": ["Tap executed at (540, 1200)"],
        "milliseconds": 12.5,
        "note": "",
        "elements": {},
    }


def steps(*entries: AuditEntry) -> list[str]:
    """The lines of the script below its head."""
    script = pytest_script(entries, CATALOG)
    compile(script, "script", "exec")
    return [line.strip() for line in script.partition(" as phone:\n")[2].splitlines()]


def test_a_call_becomes_a_step() -> None:
    assert steps(ENTRY) == [
        "# 06:07:34 an agent: Tap executed at (540, 1200)",
        "phone.call('tap', {'x': 540, 'y': 1200})",
    ]


def test_an_element_is_found_again_by_what_it_stood_for() -> None:
    arguments = {"element_id": "node_1_w2", "device": "pixel"}
    elements = {"node_1_w2": {"text": "O'K", "class_name": "android.widget.Button"}}
    entry = ENTRY._replace(tool="click_element", arguments=arguments, elements=elements)
    assert steps(entry)[1:] == [
        """element = phone.element(class_name='android.widget.Button', text="O'K")""",
        "phone.call('click_element', {'element_id': element})",
    ]


@pytest.mark.parametrize(
    ("reply", "step"),
    [
        ('{"elements":[{"id":"node_1_w2","text":"42"}]}', "phone.find({'value': '42'})"),
        ('{"elements":[]}', "phone.call('find_elements', {'value': '42'})"),
        ('{"elements":[{"id"… (the rest', "phone.call('find_elements', {'value': '42'})"),
        ("[]", "phone.call('find_elements', {'value': '42'})"),
    ],
)
def test_what_was_found_has_to_be_found_again(reply: str, step: str) -> None:
    found = ENTRY._replace(tool="find_elements", arguments={"value": "42"}, result=(reply,))
    assert steps(found)[1:] == [step]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"phone": "", "state": "failed", "result": ("No",)}, "it failed. No"),
        ({"state": "failed", "result": ("No\nphone.",)}, "it failed. No⏎phone."),
        ({"state": "denied", "result": ("No.",)}, "it was denied. No."),
        ({"state": "unknown", "result": ()}, "whether it happened is unknown."),
        ({"state": "running", "result": ()}, "it had not ended."),
        (
            {"tool": "app_notes_add"},
            "it calls a tool of an app, which a virtual phone may not have.",
        ),
        ({"tool": "set_text"}, "the main surface has no such tool."),
        ({"tool": "download_from_url"}, "it reads from the web."),
        ({"arguments": {"text": MASK}}, "these arguments were not kept: text."),
        ({"arguments": {"element_id": "node_9"}}, "the meaning of node_9 is unknown."),
        ({"phone": "nokia"}, "it ran on another phone, nokia."),
    ],
)
def test_a_call_that_cannot_be_repeated_becomes_a_comment(
    changes: dict[str, Any], why: str
) -> None:
    entry = ENTRY._replace(**changes)
    assert steps(ENTRY, entry)[2:] == [f"# 06:07:34 an agent: {entry.tool} is not repeated: {why}"]


def test_a_script_without_a_step_does_not_pass() -> None:
    assert steps(ENTRY._replace(state="failed"))[1:] == [
        "raise AssertionError('None of the recorded calls can be repeated.')"
    ]
    assert len(steps()) == 1


@given(text=st.text(), name=st.text())
def test_no_recorded_word_becomes_code(text: str, name: str) -> None:
    entry = ENTRY._replace(
        client=text,
        phone=text,
        arguments={f"a{name}": text},
        result=(f"x\n{text}",),
        elements={},
    )
    script = pytest_script([entry, entry._replace(state="failed", tool=text, note=text)], CATALOG)
    compile(script, "script", "exec")
    called = [ast.unparse(node) for node in ast.walk(ast.parse(script)) if is_call(node)]
    assert called == ["Replay(virtual_phone.address)", ast.unparse(ast.parse(expected(entry)))]


def is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call)


def expected(entry: AuditEntry) -> str:
    return f"phone.call('tap', {dict(entry.arguments)!r})"


@pytest.mark.matrix
def test_an_exported_session_is_made_again_on_another_phone(tmp_path: Path) -> None:
    """The other scripts must fail: they ask for what is not there."""
    *session, opened, typed = asyncio.run(record_session(tmp_path))
    assert [entry.state for entry in session] == ["done"] * 5
    folder = tmp_path / "replayed"
    folder.mkdir()
    seek = """phone.call("find_elements", {"by": "text", "value": "Ada"})"""
    script = f'{pytest_script(session, CATALOG)}        assert \'"text":"Ada"\' in {seek}[0]\n'
    (folder / "test_good.py").write_text(script, encoding="utf-8")
    for_models = pytest_script([opened, typed], AGENT_CATALOG)
    assert "phone.call('phone_type', {'into': 'User name', 'text': 'Zoë'})" in for_models
    (folder / "test_models.py").write_text(
        f"{for_models}        assert 'Zoë' in phone.call('phone_look')[0]\n", encoding="utf-8"
    )
    other = [
        entry._replace(elements={id: {"text": "Not there"} for id in entry.elements})
        for entry in session[-2:-1]
    ]
    sought = ENTRY._replace(
        phone=session[0].phone,
        tool="find_elements",
        arguments={"by": "text", "value": "Nobody"},
        result=('{"elements":[{"id":"node_1_w2"}]}',),
    )
    (folder / "test_lost.py").write_text(
        pytest_script([sought], CATALOG).replace(
            "phone.find(", "phone.find(within=0.5, arguments="
        ),
        encoding="utf-8",
    )
    (folder / "test_bad.py").write_text(
        pytest_script(other, CATALOG).replace("phone.element(", "phone.element(within=0.5, "),
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rA", str(folder)],
        cwd=folder,
        env={**os.environ, "HANDHELD_HOME": str(tmp_path / "home"), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert "PASSED test_good.py::test_recorded_calls" in done.stdout, done.stdout
    assert "PASSED test_models.py::test_recorded_calls" in done.stdout, done.stdout
    assert "2 failed, 2 passed" in done.stdout
    assert "Nothing is found now by {'by': 'text', 'value': 'Nobody'}." in done.stdout
    assert "No elements on the screen are what was recorded: {'text': 'Not there'}." in done.stdout


async def record_session(tmp_path: Path) -> list[AuditEntry]:
    async with VirtualPhone.from_scene("default") as virtual:
        folders = Folders(tmp_path, tmp_path / "state")
        devices = await open_devices(
            Settings(phone=(virtual.address,), folders=folders),
            lambda _: None,
            clock=PatientClock(),
        )
        recorder = Recorder(AuditLog(folders.audit))
        surface = LocalSurface(CATALOG, devices, SurfaceOptions(recorder=recorder))

        async def call(name: str, **arguments: Any) -> str:
            items = await surface.call(f"android_{name}", arguments, Caller("http", "a test"))
            return str(items[0])

        async def id_of(resource: str) -> str:
            found = await call("find_elements", by="resource_id", value=f":id/{resource}")
            return next(one["id"] for one in json.loads(found)["elements"] if one["editable"])

        await call("tap", x=5, y=700)
        await call("open_app", package_id="dev.handheld.form")
        name = await id_of("name")
        await call("click_element", element_id=name)
        await call("type_append_text", element_id=name, text="Ada", typing_speed=10)
        for_models = make_agent_surface(devices, SurfaceOptions(recorder=recorder))
        caller = Caller("http", "a model")
        [shown] = await for_models.call("phone_open", {"what": "Login"}, caller)
        ref = str(shown).partition(' field "User name"')[0].split()[-1]
        await for_models.call("phone_type", {"into": ref, "text": "Zoë"}, caller)
        entries = recorder.log.entries()
        await recorder.aclose()
        await devices.aclose()
        return entries


def by_models(tool: str, arguments: dict[str, Any], **elements: dict[str, str]) -> list[str]:
    entry = ENTRY._replace(tool=tool, arguments=arguments, elements=elements)
    script = pytest_script([ENTRY, entry], (*CATALOG, *AGENT_CATALOG))
    return [line.strip() for line in script.splitlines()][-1:]


@pytest.mark.parametrize(
    ("tool", "arguments", "elements", "step"),
    [
        (
            "phone_tap",
            {"at": "k4", "phone": "pixel"},
            {"k4": {"words": "Done", "within": "Insurance Renewal"}},
            "phone.call('phone_tap', {'at': 'Done', 'within': 'Insurance Renewal'})",
        ),
        ("phone_tap", {"at": "7"}, {}, "phone.call('phone_tap', {'at': '7'})"),
        (
            "phone_type",
            {"into": "k3", "text": "k3"},
            {"k3": {"words": "User name", "kind": "field"}},
            "phone.call('phone_type', {'into': 'User name', 'text': 'k3'})",
        ),
        ("phone_press", {"key": "back"}, {}, "phone.call('phone_press', {'key': 'back'})"),
    ],
)
def test_a_ref_becomes_the_words_of_its_element(
    tool: str, arguments: dict[str, Any], elements: dict[str, dict[str, str]], step: str
) -> None:
    assert by_models(tool, arguments, **elements) == [step]


@pytest.mark.parametrize(
    ("tool", "arguments", "elements", "why"),
    [
        ("phone_tap", {"at": "k4"}, {}, "the meaning of k4 is unknown."),
        ("phone_tap", {"at": "k4"}, {"k4": {"kind": "switch"}}, "the meaning of k4 is unknown."),
        (
            "phone_type",
            {"into": "k4", "text": "a"},
            {"k4": {"words": "Name", "within": "Ann"}},
            "the meaning of k4 is unknown.",
        ),
        ("phone_type", {"text": MASK}, {}, "these arguments were not kept: text."),
        ("phone_file", {"action": "download", "path": "x/a"}, {}, "it reads from the web."),
    ],
)
def test_a_ref_without_words_is_not_made_again(
    tool: str, arguments: dict[str, Any], elements: dict[str, dict[str, str]], why: str
) -> None:
    [line] = by_models(tool, arguments, **elements)
    assert line == f"# 06:07:34 an agent: {tool} is not repeated: {why}"
