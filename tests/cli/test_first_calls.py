"""The first calls of a new user, each in an empty home: what runs at once, what needs the owner,
and what the owner is told."""

from pathlib import Path

import pytest

from cli.own_terminal import run_at_terminal
from cli.program import Home

FORECAST = ("app_get_weather_forecast", "location=Berlin")
REFUSED = "Not done: {} needs the owner. Do not do it another way; tell your user."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_tool_of_the_virtual_phones_apps_runs_at_once(home: Home) -> None:
    called = home.run("call", "--phone", "virtual", *FORECAST)
    assert (called.returncode, "Berlin" in called.stdout) == (0, True), called.stderr
    with home.start("stdio", "--phone", "virtual") as agent:
        agent.hello()
        failed, text = agent.call("app_get_weather_forecast", location="Berlin")
        assert (failed, "Weather" in text) == (False, True)
        # Another command goes through the process that has the phone.
        called = home.run("call", "--phone", "virtual", *FORECAST)
        assert called.returncode == 0, called.stderr
    strict = ("--policy-require-console",)
    assert home.run("call", "--phone", "virtual", *strict, *FORECAST).returncode == 0


@pytest.mark.slow
def test_apps_of_another_phone_are_asked_about_until_they_are_approved(home: Home) -> None:
    with home.start("virtual", "--port", "0") as phone:
        address = phone.until(r"(127\.0\.0\.1:\d+)")[1]
        chosen = ("--phone", address, "--policy-require-console")
        refused = home.run("call", *chosen, *FORECAST)
        assert (refused.returncode, refused.stderr) == (
            1,
            f"handheld: {REFUSED.format('app_get_weather_forecast')}\n",
        )
        [told] = home.run("log").stdout.splitlines()
        assert told.endswith(
            'To allow it: policy.allow = ["app_get_weather_forecast"] in handheld.toml, or:'
            " handheld apps approve dev.handheld.weather"
        )
        # It was found at the first look: unless a console is required, it runs.
        assert home.run("call", "--phone", address, *FORECAST).returncode == 0
        with home.start("stdio", *chosen) as agent:
            agent.hello()
            weather = ("app_get_weather_forecast", "Berlin")
            failed, text = agent.call(weather[0], location=weather[1])
            assert (failed, text) == (True, REFUSED.format("app_get_weather_forecast"))
            # At once, in the process that runs.
            approve = ("apps", "approve", "dev.handheld.weather")
            assert run_at_terminal(home, *approve, typed="y")[0] == 0
            assert not agent.call(weather[0], location=weather[1])[0]
            assert home.run("apps", "revoke", "dev.handheld.weather").returncode == 0
            assert "was revoked" in agent.call(weather[0], location=weather[1])[1]


@pytest.mark.slow
def test_rules_of_the_owner_win_over_the_default_ones(home: Home) -> None:
    with home.start("virtual", "--port", "0") as phone:
        address = phone.until(r"(127\.0\.0\.1:\d+)")[1]

        def call(*words: str) -> tuple[int, str]:
            called = home.run("call", "--phone", address, *words)
            return called.returncode, called.stderr

        strict = ("--policy-require-console",)
        assert call(*strict, "--policy-allow", "app_*", *FORECAST) == (0, "")
        close = ("close_app", "package_id=com.android.calculator2")
        assert call(*strict, "--policy-allow", "close_app", *close) == (0, "")
        needs = f"handheld: {REFUSED.format('app_get_weather_forecast')}\n"
        assert call("--policy-ask", "app_*", *FORECAST) == (1, needs)
        assert call("--policy-ask", "tap,default", *FORECAST) == (0, "")
        both = ("--policy-ask", "tap", "--policy-allow", "tap")
        assert call(*both, *FORECAST) == (
            2,
            "handheld: policy.ask and policy.allow both have 'tap': leave it in one of them.\n",
        )


@pytest.mark.slow
def test_the_owner_is_told_the_command_that_started_the_process(home: Home) -> None:
    with home.start("stdio", "--phone", "virtual", "--policy-require-console") as agent:
        agent.hello()
        refused = (True, REFUSED.format("phone_app"))
        assert agent.call("phone_app", action="stop", app="Calculator") == refused
        [told] = home.run("log").stdout.splitlines()
        assert told.endswith(
            'To allow it: policy.allow = ["close_app"] in handheld.toml, or:'
            " handheld stdio --phone virtual --policy-allow close_app"
        )


@pytest.mark.slow
def test_rules_on_a_call_that_goes_through_a_server_are_refused(home: Home) -> None:
    with home.start("serve", "--phone", "virtual", "--port", "0") as server:
        server.until("Handheld serves MCP at ")
        for flag in (("--policy-allow", "tap"), ("--policy-deny", "tap"), ("--policy-ask", "tap")):
            refused = home.run("call", "--phone", "virtual", *flag, "press_home")
            assert (refused.returncode, refused.stdout) == (2, "")
            assert refused.stderr.startswith(f"handheld: {flag[0]} has no effect: ")
            assert "has the phone, and its settings hold." in refused.stderr
        assert home.run("call", "--phone", "virtual", "press_home").returncode == 0
    # With a phone of its own a call has the rules of its own.
    denied = home.run("call", "--phone", "virtual", "--policy-deny", "press_home", "press_home")
    assert "the rule 'press_home' denies it" in denied.stderr


@pytest.mark.slow
def test_an_agent_that_starts_the_program_again_has_no_new_messages(home: Home) -> None:
    message = ("to_phone_number=+36201234567", "sms_text=Hi", "subscription_id=14")
    chosen = ("call", "--phone", "virtual", "--sms-unasked-per-hour", "1", "send_sms", *message)
    assert home.run(*chosen).returncode == 0
    assert REFUSED.format("send_sms") in home.run(*chosen).stderr
    assert "(sms.unasked_per_hour)" in home.run("log").stdout
