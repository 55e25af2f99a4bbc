"""An agent tries to get what it did out of the record."""

import asyncio
import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from attacks.conftest import AGENT, Target
from audit.calls import make_call
from audit.test_chain import change
from handheld.access.approval import ApprovalGate
from handheld.access.takeover import ALL, Takeover
from handheld.audit import AuditLog, AuditReader, Record, Recorder
from handheld.audit.database import open_for_writing
from handheld.audit.keeper import Keeper
from handheld.audit.verification import Verification, read_tip, verify
from handheld.calls.local import LocalSurface, SurfaceOptions
from handheld.cli import main
from handheld.errors import ToolError
from handheld.phone.leases.leases import Leases
from handheld.phone.leases.shares import CALLS
from handheld.settings.rules import Rules
from handheld.tools.call import Caller
from handheld.tools.main import CATALOG
from harness.manual_clock import ManualClock
from harness.one_phone import OnePhone
from harness.work import lines

ATTACK = "getting what was done out of the record"

LIMIT = 200_000


def add(log: AuditLog, count: int, tool: str, token: str, size: int) -> None:
    """Calls with replies that take so many bytes each."""
    for _ in range(count):
        id = log.begin(make_call(tool, caller=Caller("http", "agent", token)))
        log.end(id, "done", [os.urandom(size // 2).hex()], 1.0)


def flood(file: Path, *floods: tuple[int, str, str, int]) -> Verification:
    """Record them in this order, and keep the limit."""
    log = AuditLog(file)
    for count, tool, token, size in floods:
        add(log, count, tool, token, size)
    log.close()
    with closing(open_for_writing(file)) as connection:
        Keeper(file, LIMIT, 30, ManualClock())._tidy(connection)
    return verify(file)


def left(file: Path) -> dict[tuple[str, str], int]:
    """How many calls of whom, by tool."""
    reader = AuditReader(file)
    counts: dict[tuple[str, str], int] = {}
    for entry in reader.entries(limit=10_000):
        counts[entry.token, entry.tool] = counts.get((entry.token, entry.tool), 0) + 1
    reader.close()
    return counts


def test_reads_without_end_push_out_neither_others_nor_what_the_token_did(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    found = flood(
        file,
        (20, "tap", "guest", 200),
        (20, "get_screen_state", "family", 1000),
        (20, "send_sms", "owner", 200),
        (200, "get_screen_state", "guest", 3000),
    )
    counts = left(file)
    assert counts.pop(("guest", "get_screen_state")) < 60
    assert counts == {
        ("guest", "tap"): 20,
        ("family", "get_screen_state"): 20,
        ("owner", "send_sms"): 20,
    }
    assert found.problems == []
    [dropped] = found.dropped
    assert (dropped.token, dropped.act, dropped.calls > 140) == ("guest", False, True)


def test_acts_without_end_push_out_acts_of_the_same_token_alone(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    found = flood(
        file,
        (10, "get_screen_state", "family", 1000),
        (10, "tap", "owner", 200),
        (200, "tap", "guest", 3000),
    )
    counts = left(file)
    assert counts.pop(("guest", "tap")) < 80
    assert counts == {("family", "get_screen_state"): 10, ("owner", "tap"): 10}
    assert [(one.token, one.act) for one in found.dropped] == [("guest", True)]


def test_old_acts_leave_room_for_the_reads_of_the_same_token(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    flood(file, (100, "tap", "guest", 3000), (40, "get_screen_state", "guest", 3000))
    assert 8 <= left(file)["guest", "get_screen_state"] < 40


async def test_acts_that_are_refused_before_they_run_push_out_no_act(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    log = AuditLog(file)
    add(log, 20, "tap", "guest", 200)
    recorder = Recorder(log)
    for _ in range(150):
        call = make_call("tap", {"x": "9" * 3000}, caller=Caller("http", "agent", "guest"))
        Record(recorder, call).failed("Parameter 'x' must be a number." * 100)
    await recorder.aclose()
    with closing(open_for_writing(file)) as connection:
        Keeper(file, LIMIT, 30, ManualClock())._tidy(connection)
    reader = AuditReader(file)
    entries = reader.entries(limit=1000)
    reader.close()
    assert [entry.id for entry in entries[:20]] == list(range(1, 21))
    assert len(entries) < 100


class Refusing:
    """A surface that refuses the agent's taps in one way, with a record."""

    def __init__(self, target: Target, file: Path, why: str) -> None:
        self.clock = ManualClock()
        self.target, self.why, self.file = target, why, file
        rules = {
            "a rule": Rules(deny=("tap",)),
            "a rule on the app": Rules(deny=("tap+app:*",)),
            "no answer": Rules(ask=("tap",)),
        }
        self.gate = ApprovalGate(rules.get(why, Rules()), clock=self.clock)
        self.gate.consoles = 1
        self.takeover, self.leases = Takeover(), Leases(self.clock)
        self.recorder = Recorder(AuditLog(file), clock=self.clock)
        options = SurfaceOptions(
            recorder=self.recorder,
            gate=self.gate,
            takeover=self.takeover,
            leases=self.leases,
            clock=self.clock,
        )
        self.surface = LocalSurface(CATALOG, OnePhone(target.phone), options)

    async def call(self, tool: str, **arguments: Any) -> None:
        calling = self.surface.call(f"android_{tool}", arguments, AGENT)
        await self.target.passing(calling)

    async def refuse(self) -> None:
        if self.why == "a stop":
            self.takeover.take([ALL])
        if self.why == "a lease":
            await self.leases.take("other", "another's", "virtual", {"virtual"}, 60)
        if self.why == "too many calls":
            for _ in range(CALLS.of_one):
                self.target.phone.calls.take(AGENT.token)
        calling = asyncio.ensure_future(self.call("tap", x=300, y=900))
        if self.why == "no answer":
            await self.clock.until(lambda: bool(self.gate.pending()))
            await self.clock.advance(60)
        with pytest.raises(ToolError, match=r"[Nn]othing was done|Not done"):
            await calling

    def acts(self) -> list[tuple[str, int]]:
        self.recorder.log.write_ends()
        with closing(open_for_writing(self.file)) as connection:
            return connection.execute("SELECT tool, act FROM calls ORDER BY id").fetchall()


@pytest.mark.parametrize(
    "why", ["a rule", "a rule on the app", "no answer", "a stop", "a lease", "too many calls"]
)
async def test_calls_that_are_refused_push_out_no_act(
    target: Target, tmp_path: Path, why: str
) -> None:
    refusing = Refusing(target, tmp_path / "calls.sqlite", why)
    try:
        await refusing.call("press_home")
        await refusing.refuse()
        assert refusing.acts() == [("press_home", 1), ("tap", 0)]
        found = verify(refusing.file)
        assert (found.problems, found.calls, found.unfinished) == ([], 2, 0)
    finally:
        await refusing.leases.aclose()
        await refusing.recorder.aclose()


def test_however_much_is_dropped_it_leaves_one_row_for_each_token(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    for _ in range(2):
        flood(file, (120, "get_screen_state", "guest", 3000))
    found = flood(file, (120, "get_screen_state", "guest", 3000))
    assert len(found.dropped) == 1
    with closing(open_for_writing(file)) as connection:
        [drops] = connection.execute("SELECT count(*) FROM links WHERE kind = 'drop'").fetchone()
        [links] = connection.execute("SELECT count(*) FROM links").fetchone()
    assert drops == 1
    assert links == 2 + 2 * found.calls


def test_what_was_dropped_is_told_with_its_hash_and_cannot_be_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    file = tmp_path / "state" / "audit" / "calls.sqlite"
    found = flood(file, (120, "get_screen_state", "guest", 3000))
    [dropped] = found.dropped
    told = f"  guest  {dropped.calls} reads dropped, hash {dropped.hash.hex()}\n"
    assert main(["log", "--limit", "1"]) == 0
    printed = capsys.readouterr()
    assert printed.err.endswith(told)
    assert printed.out.count("\n") == 1
    assert main(["log", "--json", "--limit", "1"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert json.loads(printed.out)["token"] == "guest"
    assert main(["log", "--verify"]) == 0
    printed = capsys.readouterr()
    assert told in printed.out
    assert printed.out.endswith(f"OK: {found.calls} calls.\nHead: {found.head}\n")
    change(file, "UPDATE groups SET calls = calls - 1")
    assert main(["log", "--verify"]) == 1
    assert "was changed.\nThe record is not as it was written.\n" in capsys.readouterr().out


def test_verify_says_which_calls_are_changed_and_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HANDHELD_HOME", str(tmp_path))
    file = tmp_path / "state" / "audit" / "calls.sqlite"
    assert main(["log", "--verify"]) == 0
    assert main(["log", "--head"]) == 1
    assert capsys.readouterr().out == "OK: 0 calls.\nNothing is in the chain yet.\n"
    log = AuditLog(file)  # a server that runs
    add(log, 5, "tap", "guest", 100)
    log.write_ends()
    head = read_tip(file)
    assert main(["log", "--head"]) == 0
    assert capsys.readouterr().out == f"{head}\n"
    log.begin(make_call())
    assert main(["log", "--verify", str(head)]) == 0
    now = read_tip(file)
    assert capsys.readouterr().out == (f"OK: 6 calls, 1 of them without an end.\nHead: {now}\n")
    change(
        file,
        "UPDATE calls SET tool = 'press_home' WHERE id = 2",
        "DELETE FROM calls WHERE id = 4",
    )
    assert main(["log", "--verify"]) == 1
    assert capsys.readouterr().out == (
        "Call 2 was changed.\nCall 4 is missing.\nThe record is not as it was written.\n"
    )
    assert main(["log", "--verify", "nonsense"]) == 2
    assert main(["log", "--verify", "--head"]) == 2
    assert "--head and --verify cannot be combined." in capsys.readouterr().err
    log.close()


def test_a_record_that_was_tampered_with_still_keeps_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "calls.sqlite"
    flood(file, (60, "get_screen_state", "guest", 2000))
    change(
        file,
        "DELETE FROM calls WHERE id < 50",
        "UPDATE calls SET at = 'never' WHERE id = 51",
        "UPDATE links SET bytes = 0, hash = 'none'",
        "UPDATE groups SET first = 'never', calls = 'none', hash = 'none'",
    )
    with lines(1_000_000):  # ten times what a record that nobody changed takes
        assert flood(file, (150, "tap", "guest", 3000)).problems != []
    assert file.stat().st_size <= LIMIT
