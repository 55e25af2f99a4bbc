"""The server is killed, and the agent's own process takes over the phone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import Home
from harness.polling import HANG

ATTACK = "the server is killed"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path)
    yield home
    assert home.left_behind() == []


@pytest.mark.matrix
def test_a_process_that_takes_over_asks_for_a_console_as_the_dead_server_did(home: Home) -> None:
    flags = ("--phone", "virtual", "--port", "0", "--policy-deny", "press_home")
    with home.start("serve", *flags) as server:
        server.until("Handheld serves MCP at ")
        with home.start("stdio", "--surface", "main", "--phone", "virtual") as agent:
            agent.hello()
            assert agent.call("android_press_home")[0]
            assert not agent.call("android_press_back")[0]
            server.process.kill()
            server.process.wait(HANG)
            assert "has ended" in agent.call("android_press_back")[1]
            assert not agent.call("android_press_back")[0]
            failed, sentence = agent.call("android_press_home")
            assert (failed, "the rule 'press_home' denies it" in sentence) == (True, True)
            failed, sentence = agent.call("android_close_app", package_id="com.android.settings")
            assert failed
            assert "close_app needs the owner" in sentence


@pytest.mark.matrix
def test_agents_stay_held_back_when_the_server_dies_until_the_person_lets_go(home: Home) -> None:
    with home.start("serve", "--phone", "virtual", "--port", "0") as server:
        server.until("Handheld serves MCP at ")
        with home.start("stdio", "--surface", "main", "--phone", "virtual") as agent:
            agent.hello()
            assert not agent.call("android_press_back")[0]
            assert home.run("stop", "--phone", "virtual").returncode == 0
            assert "has taken it over" in agent.call("android_press_back")[1]
            assert "Agents are held back on" in home.run("phones").stderr
            assert "Agents are held back on phones" in home.run("doctor").stdout
            server.process.kill()
            server.process.wait(HANG)
            assert "has ended" in agent.call("android_press_back")[1]
            assert "has taken it over" in agent.call("android_press_back")[1]
            released = home.run("stop", "--release")
            assert (released.returncode, released.stdout) == (0, "Agents are resumed.\n")
            assert not agent.call("android_press_back")[0]
