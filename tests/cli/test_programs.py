"""`handheld` as a program: start, sharing, failures and clean exit."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from bench.ports import keep_port

from cli.program import HANDHELD, Home
from harness.polling import HANG


def test_help_and_phones_import_no_server(home: Home) -> None:
    for arguments, code in ((["--help"], 0), (["phones"], 1)):
        script = (
            "import sys\nfrom handheld.cli import main\n"
            f"try:\n    code = main({arguments!r})\n"
            "except SystemExit as end:\n    code = end.code\n"
            "heavy = {'mcp', 'mcp_types', 'pydantic', 'PIL', 'uvicorn', 'starlette'}\n"
            "print(code, sorted(heavy & set(sys.modules)))"
        )
        run = subprocess.run(
            [sys.executable, "-c", script],
            env=home.environment,
            capture_output=True,
            encoding="utf-8",
            timeout=HANG,
            check=True,
        )
        assert run.stdout.splitlines()[-1] == f"{code} []"


def test_few_modules_are_imported_before_interrupts_are_caught(home: Home) -> None:
    script = (
        "import sys\nfrom handheld.cli import main\n"
        "print(sorted(name for name in sys.modules if name.startswith('handheld')))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        env=home.environment,
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=True,
    )
    known = ["handheld", "handheld.cli", "handheld.cli.exit_codes", "handheld.cli.terminal"]
    assert run.stdout == f"{known}\n"


@pytest.mark.parametrize(
    "command",
    [
        "serve",
        "stdio",
        "demo",
        "phones",
        "tools",
        "call",
        "token",
        "doctor",
        "connect",
        "pair",
        "disconnect",
    ],
)
def test_every_command_has_help_with_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from handheld.cli import main

    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"\nExample: handheld {command}" in capsys.readouterr().out


@pytest.mark.slow
def test_a_server_without_a_phone_reports_that_and_stops_on_request(home: Home) -> None:
    with home.start("serve", "--port", "0", end=signal.SIGINT) as program:
        program.until(r"^Handheld serves MCP at http://127\.0\.0\.1:\d+/mcp/agent$")
        program.until(r"android_ tools connect to http://127\.0\.0\.1:\d+/mcp$")
        assert program.line() == "No phone is connected."
        assert program.line() == (
            "Phones connected later are picked up automatically. `handheld doctor` shows what is"
            " missing; --phone virtual serves a virtual phone."
        )
        program.until("^A new token was made, which `handheld token show` prints.$")
        token = home.run("token", "show").stdout.strip()
        run = home.run("call", "tap", "x=1", "y=2")
        assert (run.returncode, run.stdout) == (1, "")
        assert run.stderr.startswith("handheld: No phone is connected. Plug one in and allow USB")
        assert "adb is not installed" in run.stderr
    assert program.process.returncode == 0
    assert "Traceback" not in program.errors
    assert program.errors.count("adb is not installed") == 1
    with home.start("serve", "--port", "0") as again:
        again.until("^Clients must send the token that `handheld token show` prints")
    assert token not in again.errors
    with home.start("serve", "--port", "0", "--token", "given-on-the-command-line") as given:
        given.until("^Clients must send the token that was given at the start.$")


@pytest.mark.parametrize("terminal", [True, False])
def test_a_new_token_is_printed_at_a_terminal_and_not_into_a_log(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    from handheld.access.owner_token import OwnerToken
    from handheld.cli.server_process import print_token
    from handheld.settings import Settings

    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    print_token(OwnerToken("a-new-secret", made=True), Settings())
    assert ("a-new-secret" in capsys.readouterr().out) is terminal


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (
            (),
            "While nobody is there to be asked, send_sms, delete_file, close_app,"
            " download_from_url, and tools of apps that were present at the first look at the phone"
            " are allowed without a question (--policy-require-console changes that); other calls"
            " that need approval are denied.",
        ),
        (
            ("--policy-require-console",),
            "While nobody is there to be asked, calls that need approval are denied.",
        ),
    ],
)
def test_the_start_of_a_server_says_what_runs_unasked_without_a_console(
    home: Home, flags: tuple[str, ...], sentence: str
) -> None:
    with home.start("serve", "--port", "0", *flags) as program:
        assert program.until("^While nobody is there").string == sentence


@pytest.mark.slow
def test_a_second_ctrl_c_ends_a_server_that_stops_without_a_traceback(home: Home) -> None:
    with home.start("serve", "--port", "0") as program:
        served = program.until(r"^Handheld serves MCP at http://127\.0\.0\.1:(\d+)/mcp/agent$")
        token = home.run("token", "show").stdout.strip()
        address = ("127.0.0.1", int(served[1]))
        with (
            socket.create_connection(address, HANG) as idle,
            socket.create_connection(address, HANG) as busy,
        ):
            # The rest of its body never comes, so that the server waits before it stops.
            busy.sendall(
                b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                b"Content-Length: 9\r\nExpect: 100-continue\r\n"
                b"Authorization: Bearer " + token.encode() + b"\r\n\r\n"
            )
            assert busy.recv(100).startswith(b"HTTP/1.1 100 ")
            idle.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert idle.recv(1000).startswith(b"HTTP/1.1 200 ")
            program.process.send_signal(signal.SIGINT)
            while idle.recv(1000):
                pass  # until it is closed, because the server stops
            program.process.send_signal(signal.SIGINT)
            program.ended()
    assert (program.process.returncode, program.errors.count("Traceback")) == (130, 0)
    with home.start("serve", "--port", "0") as again:  # which takes over what is left of it
        again.until("^Handheld serves MCP at ")


def test_a_port_in_use_by_another_program_is_one_error_line(home: Home) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        run = home.run("serve", "--port", str(port))
    assert (run.returncode, run.stdout, run.stderr) == (
        1,
        "",
        f"handheld: Port {port} is in use by another program: stop it, or choose another port "
        "with --port.\n",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["serve", "--port", "x"], 2, "--port must be a whole number from 0 to 65535, not 'x'."),
        (
            ["serve", "--host", "0.0.0.0", "--no-token"],
            2,
            "no_token is for loopback only, and host is 0.0.0.0: anyone who reaches that address "
            "could use the phone. Leave out one of the two.",
        ),
        (
            ["serve", "--host", "192.0.2.1", "--port", "0"],
            1,
            "192.0.2.1 is not an address of this machine; choose another with --host.",
        ),
        (["call", "tap", "x"], 2, "'x' is not an argument: write NAME=VALUE, such as x=540."),
        (
            ["call", "tap", "--json", "[1]"],
            2,
            '--json must be an object, such as \'{"x": 540, "y": 1200}\'.',
        ),
        (
            ["phones", "--phone", "virtual"],
            1,
            "No virtual phone is running. Start one: handheld serve --phone virtual",
        ),
    ],
)
def test_failures_are_one_error_line(
    home: Home, arguments: list[str], code: int, sentence: str
) -> None:
    run = home.run(*arguments)
    output = [line for line in run.stderr.splitlines() if line.startswith("handheld: ")]
    assert (run.returncode, run.stdout, output) == (code, "", [f"handheld: {sentence}"])


@pytest.mark.slow
def test_a_single_call_owns_a_virtual_phone_while_it_runs(home: Home) -> None:
    run = home.run("call", "android_press_home", "--phone", "virtual")
    assert (run.returncode, run.stdout, run.stderr) == (
        0,
        "Home button press executed successfully\n",
        "",
    )


def test_two_stdio_clients_that_start_at_once_share_one_phone(home: Home) -> None:
    with (
        home.start("stdio", "--surface", "main", "--phone", "virtual") as one,
        home.start("stdio", "--surface", "main", "--phone", "virtual") as two,
    ):
        for client in (one, two):
            client.hello()
        package = "com.android.calculator2"
        opened = one.call("android_open_app", package_id=package)
        assert opened == (False, f"App opened successfully: {package}")
        assert f"pkg:{package}" in two.call("android_get_screen_state")[1]
        assert len(home.phone_pids()) == 1
    assert (one.process.returncode, two.process.returncode) == (0, 0)
    assert "Traceback" not in one.errors + two.errors


@pytest.mark.slow
def test_a_client_survives_its_owner_and_is_told_that_the_phone_is_new(home: Home) -> None:
    with home.start("stdio", "--surface", "main", "--phone", "virtual") as owner:
        owner.hello()
        owner.call("android_press_home")
        with home.start("stdio", "--surface", "main", "--phone", "virtual") as other:
            other.hello()
            assert other.call("android_press_home")[0] is False
            owner.process.kill()
            owner.process.wait(HANG)
            failed, sentence = other.call("android_tap", x=5, y=5)
            assert failed
            assert sentence == (
                f"`handheld stdio --phone virtual` (pid {owner.process.pid}, "
                f"{re.search(r'http://[0-9.:]+', sentence)[0]}), which had the virtual phone, has "  # pyright: ignore[reportOptionalSubscript]
                "ended. Nothing was done by this call. The next one gets a new phone: read its "
                "screen first."
            )
            assert "pkg:com.android.launcher3" in other.call("android_get_screen_state")[1]
            assert other.call("android_tap", x=5, y=5) == (False, "Tap executed at (5, 5)")


@pytest.mark.slow
def test_a_uiautomation_conflict_names_the_other_program(home: Home, tmp_path: Path) -> None:
    other = Home(tmp_path / "other")
    other.folder.mkdir()
    with home.start("virtual", "--port", "0") as phone:
        address = phone.until(r"^adb connect (.+)$")[1]
        with home.start("serve", "--phone", address, "--port", "0") as server:
            server.until("^Programs that use the documented android_ tools ")
            assert server.line() == f"Connected: {address} (Handheld Virtual)."
            assert home.run("call", "press_home").returncode == 0
            run = other.run("call", "press_home", "--phone", address)
            assert (run.returncode, run.stdout) == (1, "")
            assert str(server.process.pid) in run.stderr
            assert socket.gethostname() in run.stderr
        # Once it is released, any program may use it.
        assert other.run("call", "press_home", "--phone", address).returncode == 0
    assert other.left_behind() == []


@pytest.mark.slow
def test_a_phone_that_disappears_and_returns_is_used_again(home: Home) -> None:
    port = str(keep_port())  # the port stays reserved while the phone is gone
    with home.start("virtual", "--port", port) as phone:
        address = phone.until(r"^adb connect (.+)$")[1]
        with home.start("serve", "--phone", address, "--port", "0") as server:
            server.until("^Programs that use the documented android_ tools ")
            assert home.run("call", "press_home").returncode == 0
            phone.process.send_signal(signal.SIGTERM)
            phone.process.wait(HANG)
            gone = home.run("call", "press_home")
            assert (gone.returncode, gone.stdout) == (1, "")
            assert gone.stderr.startswith(f"handheld: No phone answers adb at {address}: ")
            with home.start("virtual", "--port", port) as again:
                again.until("^adb connect ")
                assert home.run("call", "press_home").returncode == 0
        assert f"Phone {address} is gone." in server.errors


@pytest.mark.slow
def test_a_killed_virtual_phone_is_restarted_and_the_caller_is_told(home: Home) -> None:
    with home.start("stdio", "--surface", "main", "--phone", "virtual") as program:
        program.hello()
        program.call("android_press_home")
        (pid,) = home.phone_pids()
        os.kill(pid, signal.SIGKILL)
        answers = [program.call("android_tap", x=5, y=5)]
        # The broken connection may be noticed by this call or just before it.
        while "was restarted" not in answers[-1][1]:
            assert len(answers) < 3, answers
            assert answers[-1][0], answers
            answers.append(program.call("android_tap", x=5, y=5))
        assert program.call("android_tap", x=5, y=5) == (False, "Tap executed at (5, 5)")
    assert "Traceback" not in program.errors


@pytest.mark.slow
def test_stdio_offers_the_tools_for_models_unless_told_otherwise(home: Home) -> None:
    with home.start("stdio", "--phone", "virtual") as program:
        assert program.hello()["instructions"].startswith("You hold an Android phone.")
        names = {tool["name"] for tool in program.ask("tools/list")["tools"]}
        assert "phone_look" in names
        assert not any(name.startswith("android_") for name in names)
        failed, settings = program.call("phone_open", what="Settings")
        assert (failed, settings.splitlines()[0]) == (False, 'Opened "Settings".')


def test_a_stdio_server_exits_when_its_client_closes_the_pipe(home: Home) -> None:
    run = home.run("stdio", "--phone", "virtual", stdin="")
    assert (run.returncode, run.stdout) == (0, "")
    assert "Traceback" not in run.stderr


@pytest.mark.slow
def test_the_curl_line_of_the_demo_works(home: Home) -> None:
    with home.start("demo", "--port", "0") as program:
        url = program.until(r"^A virtual phone is served over MCP at (.+)$")[1]
        token = program.until("^Token: (.+)$")[1]
        clients: list[str] = []
        while not (line := program.line()).startswith("    curl "):
            if found := re.fullmatch(r"([A-Z][A-Za-z ]+) \(.*\):", line):
                clients.append(found[1])
        assert clients == [
            "Claude Code",
            "Claude Desktop",
            "Cursor",
            "VS Code",
            "Codex",
            "Gemini CLI",
        ]
        words = shlex.split(line)
        assert (words[-1], f"Authorization: Bearer {token}" in words) == (url, True)
        headers = dict(
            words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H"
        )
        body = words[words.index("-d") + 1].encode()
        request = urllib.request.Request(url, body, headers | {"Accept": "*/*"})
        with urllib.request.urlopen(request, timeout=HANG) as answer:
            reply = json.loads(answer.read())
        assert reply["result"]["content"][0]["text"].startswith("com.android.launcher3 ")
    assert "Traceback" not in program.errors


@pytest.mark.slow
@pytest.mark.parametrize("command", [["demo"], ["serve", "--phone", "virtual"]])
def test_a_virtual_phones_folder_download_is_offered_without_a_trace_in_the_owners_file(
    home: Home, command: list[str]
) -> None:
    download = "com.android.externalstorage.documents/primary:Download"
    with home.start(*command, "--port", "0") as program:
        program.until("^The file tools may change files in the virtual phone's folder Download.$")
        where = ("location_id=" + download, "path=try.txt")
        assert home.run("call", "write_file", *where, "content=hello").stdout == (
            "File written successfully: try.txt\n"
        )
        assert home.run("call", "read_file", *where).stdout == "1| hello\n"
        assert home.run("call", "delete_file", *where).stdout == (
            "File deleted successfully: try.txt\n"
        )
    assert home.run("storage", "list").stdout == ""


@pytest.mark.slow
def test_a_virtual_phone_is_started_with_a_scene(home: Home) -> None:
    (home.folder / "own.toml").write_text(
        '[phone]\nclipboard = "from the scene"\n', encoding="utf-8"
    )
    with home.start("serve", "--phone", "virtual", "--port", "0", "--scene", "own.toml") as program:
        program.until("Handheld serves MCP at ")
        assert home.run("call", "get_clipboard").stdout == '{"text":"from the scene"}\n'
        other = home.run("call", "--phone", "virtual", "--scene", "office", "get_clipboard")
        assert other.stdout == '{"text":"from the scene"}\n'
        assert "--scene has no effect: `handheld serve --phone virtual`" in other.stderr
    with home.start(
        "stdio", "--surface", "main", "--phone", "virtual", "--scene", "own.toml"
    ) as program:
        program.hello()
        assert program.call("android_get_clipboard") == (False, '{"text":"from the scene"}')


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "content", "sentence"),
    [
        ("serve", 'clipbord = "x"\n', "clipbord"),
        ("serve", "[[[", "is not valid TOML"),
        ("serve", None, "bad.toml"),
        ("stdio", None, "bad.toml"),
        ("demo", None, "bad.toml"),
        ("call", None, "bad.toml"),
    ],
)
def test_a_bad_scene_is_one_error_line_before_anything_starts(
    home: Home, command: str, content: str | None, sentence: str
) -> None:
    if content is not None:
        (home.folder / "bad.toml").write_text(content, encoding="utf-8")
    words = [command, *(() if command == "demo" else ("--phone", "virtual"))]
    words += ["press_home"] if command == "call" else []
    run = home.run(*words, "--scene", "bad.toml")
    (line,) = run.stderr.splitlines()
    assert (run.returncode, run.stdout, line.startswith("handheld: --scene: ")) == (2, "", True)
    assert sentence in line


def test_a_scene_is_for_a_virtual_phone(home: Home) -> None:
    run = home.run("serve", "--phone", "R58M123ABC", "--scene", "office", "--port", "0")
    assert (run.returncode, run.stderr) == (
        2,
        "handheld: --scene is for a virtual phone: add --phone virtual.\n",
    )


@pytest.mark.slow
def test_the_demo_uses_a_free_port_if_its_own_is_in_use(home: Home) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with home.start("demo", "--port", str(port)) as program:
            assert program.line() == (
                f"Port {port} is in use by another program; using a free port instead."
            )
            assert program.until(r"served over MCP at .*:(\d+)/mcp/agent$")[1] != str(port)


@pytest.mark.slow
def test_a_server_with_tls_is_reached_by_our_own_commands(home: Home) -> None:
    with home.start("serve", "--phone", "virtual", "--port", "0", "--tls-self-signed") as program:
        program.until("^Handheld serves MCP at https://127")
        run = home.run("call", "press_home")
        assert (run.returncode, run.stderr) == (0, "")
    for file in (home.folder / "handheld" / "state" / "tls").iterdir():
        file.unlink()


def test_a_closed_pipe_ends_the_command_quietly(home: Home) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        run = subprocess.run(
            [*HANDHELD, "token", "show"],
            env=home.environment,
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=HANG,
            check=False,
        )
    finally:
        os.close(writer)
    assert (run.returncode, run.stderr) == (1, b"")


def test_a_misspelled_variable_is_reported(home: Home) -> None:
    run = subprocess.run(
        [*HANDHELD, "token", "show"],
        env=home.environment | {"HANDHELD_PROT": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=True,
    )
    assert run.stderr == (
        "handheld: HANDHELD_PROT is set, but there is no such option. Did you mean HANDHELD_PORT?\n"
    )


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["call", "tap"], ["token", "show"]])
def test_an_unusable_state_folder_is_one_error_line(home: Home, command: list[str]) -> None:
    place = home.folder / "handheld"
    place.mkdir()
    (place / "state").write_text("in the way", encoding="utf-8")
    run = home.run(*command)
    (place / "state").unlink()
    assert (run.returncode, run.stdout) == (1, "")
    assert re.fullmatch(r"handheld: [^\n]*/state/[^\n]*cannot be [^\n]*\.\n", run.stderr)


def test_a_new_token_is_the_one_that_is_shown(home: Home) -> None:
    first = home.run("token", "show").stdout
    fresh = home.run("token", "new").stdout
    assert first != fresh
    assert home.run("token", "show").stdout == fresh


@pytest.mark.slow
def test_the_doctor_suggests_fixes_for_a_missing_adb_and_a_readable_token(home: Home) -> None:
    home.run("token", "show")
    file = home.folder / "handheld" / "state" / "token"
    file.chmod(0o644)
    run = home.run("doctor", "--json", "--port", "0")
    findings = {one["subject"]: one for one in json.loads(run.stdout)}
    assert run.returncode == 1
    assert {name: one["verdict"] for name, one in findings.items()} == {
        "python": "ok",
        "token": "problem",
        "record": "ok",
        "approval": "ok",
        "port": "ok",
        "apps": "ok",
        "adb": "problem",
        "virtual": "ok",
    }
    assert findings["token"] == {
        "verdict": "problem",
        "subject": "token",
        "sentence": f"Other users of this machine can read {file} (mode 0644).",
        "mend": f"chmod 600 {file} && handheld token new",
    }
    assert "adb is not installed" in findings["adb"]["sentence"]
