"""Scripts and small commands have the same output as with mksh and toybox."""

import asyncio
import contextlib
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire_client import until

from handheld_virtual.commands.text.expressions import BadExpression, Expression, translate
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.sh.arithmetic import BadSum, evaluate
from handheld_virtual.sh.shell import Shell
from handheld_virtual.sh.streams import Collector, Given
from harness.passing_clock import PassingClock
from harness.polling import HANG

STDIN = b"l1 x\nl2 y z\n"
LIMIT = 1 << 20


def cases(name: str) -> list[Any]:
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    return [
        pytest.param(f"{name}.{number}", item, id=f"{number}")
        for number, item in enumerate(tomllib.loads(text)["case"])
    ]


async def run(phone: VirtualPhone, command: str, stdin: bytes = STDIN) -> tuple[str, str, int]:
    stdout, stderr = Collector(LIMIT), Collector(LIMIT)
    async with asyncio.timeout(HANG):
        code = await Shell(phone, Given(stdin), stdout, stderr, {}).run(command)
    return stdout.data.decode(), stderr.data.decode(), code


@pytest.fixture(scope="module")
def phone() -> VirtualPhone:
    """A phone for all tests: each script has its own folder."""
    return VirtualPhone(clock=PassingClock())


async def check(phone: VirtualPhone, folder: str, case: dict[str, Any]) -> None:
    phone.files.make_folder(f"/data/local/tmp/{folder}")
    stdout, _, code = await run(phone, f"cd /data/local/tmp/{folder}\n{case['run']}")
    assert (stdout, code) == (case["prints"], case.get("code", 0))


@pytest.mark.parametrize(("folder", "case"), cases("scripts.toml"))
async def test_a_script_runs_as_in_mksh(phone: VirtualPhone, folder: str, case: dict[str, Any]):
    await check(phone, folder, case)


@pytest.mark.parametrize(("folder", "case"), cases("filters.toml"))
async def test_a_small_command_prints_what_toybox_prints(
    phone: VirtualPhone, folder: str, case: dict[str, Any]
):
    await check(phone, folder, case)


async def test_job_that_writes_elsewhere_outlives_its_shell():
    async with VirtualPhone() as phone:
        assert await run(phone, "sleep 1000 > /dev/null 2>&1 &") == ("", "", 0)
        await until(lambda: phone.processes.find("sleep"))
    assert phone.processes.all() == []


async def test_shell_waits_for_a_job_that_writes_to_its_output():
    phone = VirtualPhone(clock=PassingClock())
    assert await run(phone, "(sleep 0.05; echo late) & echo early") == ("early\nlate\n", "", 0)


@pytest.mark.parametrize(
    "command",
    [
        r"echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | grep -E '(a*)*b'",
        r"echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | grep '\(a*\)*b'",
        "A=$(seq 2000 | tr '\\n' a); echo $A | grep '.*.*.*.*.*=' ",
    ],
)
async def test_pattern_that_could_run_forever_is_refused(command: str):
    stdout, stderr, code = await run(VirtualPhone(clock=PassingClock()), command)
    assert (stdout, code) == ("", 2)
    assert stderr.startswith("grep: ")


@given(st.text(alphabet="a1+-*/%<>=!&|?:()~^ ", max_size=20))
def test_any_text_is_evaluated_or_refused_as_arithmetic(text: str):
    with contextlib.suppress(BadSum):
        assert -(2**31) <= evaluate(text, lambda _: "3", lambda *_: None) < 2**31


@given(st.text(alphabet=r"ab[]^$.*\(){}|+?1,:-", max_size=12), st.booleans())
def test_any_text_is_compiled_or_refused_as_expression(text: str, extended: bool):
    with contextlib.suppress(BadExpression):
        found = Expression(text, extended=extended).search("aab1{}")
        assert found is None or found[0] in "aab1{}"


def test_basic_regular_expressions_escape_their_groups():
    assert translate(r"\(a+\)\{2\}", extended=False) == r"(a\+){2}"


@pytest.mark.parametrize(("size", "fits"), [(128 * 1024, True), (128 * 1024 + 1, False)])
async def test_words_of_a_command_are_limited(phone: VirtualPhone, size: int, fits: bool) -> None:
    """As in the kernel, each word counts its length plus one."""
    phone.files.write("/data/local/tmp/word", b"x" * (size - len(":") - 2))
    _, stderr, code = await run(phone, ': "$(cat /data/local/tmp/word)"')
    assert (code == 0, "argument list too long" in stderr) == (fits, not fits)
