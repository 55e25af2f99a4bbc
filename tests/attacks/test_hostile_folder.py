"""The folder in which Handheld is started holds programs and modules with our names:
none of them runs."""

import stat
import sys
from pathlib import Path

import pytest

from handheld.adb.link import AdbError
from handheld.adb.server import AdbServer, find_adb
from handheld.cli.commands.steps import _edited  # pyright: ignore[reportPrivateUsage]
from handheld.cli.own_program import own_program
from handheld.devices.virtual_process import VirtualEndpoint
from handheld.fleet.nats.plan import EngineError
from handheld.fleet.nats.program import find_server
from handheld.tools.steps import SavedStep, StepSequence, StepsError, StepsFile
from harness.patient_clock import PatientClock

ATTACK = "code of the working folder"
PROGRAMS = ("adb", "nats-server", "our-editor")
MODULES = ("handheld/__init__", "argparse", "sitecustomize")


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory; `ran` in it tells that something of it was run."""
    for module in MODULES:
        file = tmp_path / f"{module}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"open({str(tmp_path / 'ran')!r}, 'a').close()\n", encoding="utf-8")
    for name in PROGRAMS:
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n", encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
async def test_a_virtual_phone_runs_no_module_of_the_folder_it_is_started_in(hostile: Path) -> None:
    endpoint = VirtualEndpoint(lambda line: None, clock=PatientClock())
    try:
        await (await endpoint.dial()).aclose()
    finally:
        await endpoint.aclose()
    assert not (hostile / "ran").exists()


@pytest.mark.slow
async def test_a_scene_is_still_a_file_of_the_folder_it_was_named_in(hostile: Path) -> None:
    (hostile / "mine.toml").write_text("[phone]\nwidth = 'no number'\n", encoding="utf-8")
    endpoint = VirtualEndpoint(lambda line: None, scene="mine.toml", clock=PatientClock())
    try:
        with pytest.raises(AdbError, match="width"):
            await endpoint.dial()
    finally:
        await endpoint.aclose()


@pytest.mark.parametrize("entry", ["", "."])
async def test_an_adb_that_only_a_relative_folder_on_the_path_holds_is_not_run(
    hostile: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    monkeypatch.setenv("PATH", f"{entry}:/nowhere")
    assert find_adb() == ""
    with pytest.raises(AdbError, match="adb is not installed"):
        await AdbServer("127.0.0.1", 1, clock=PatientClock()).version()
    assert not (hostile / "ran").exists()


@pytest.mark.parametrize("entry", ["", "."])
def test_a_nats_server_that_only_a_relative_folder_on_the_path_holds_is_not_taken(
    hostile: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    monkeypatch.setenv("PATH", f"{entry}:/nowhere")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(EngineError, match="There is no nats-server in PATH"):
        find_server()


@pytest.mark.parametrize("entry", ["", "."])
def test_an_editor_that_only_a_relative_folder_on_the_path_holds_is_not_run(
    hostile: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    steps = StepsFile(hostile / "state" / "steps.json")
    steps.keep("timer", "", StepSequence((SavedStep("press", {"key": "home"}),)), "", "")
    monkeypatch.setenv("PATH", f"{entry}:/nowhere")
    monkeypatch.setenv("EDITOR", "our-editor --wait")
    monkeypatch.delenv("VISUAL", raising=False)
    with pytest.raises(StepsError, match="The editor our-editor is not in PATH"):
        _edited(steps.get("timer"), None)
    assert not (hostile / "ran").exists()


def test_the_command_in_a_clients_configuration_runs_no_module_of_the_clients_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["/nowhere/handheld/__main__.py"])
    assert own_program() == (sys.executable, "-P", "-m", "handheld")
