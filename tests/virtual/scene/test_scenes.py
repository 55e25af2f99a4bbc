"""Scenes: the phones that they describe, and errors in them."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from app_formats.apk.writer import activity, manifest, small_apk
from handheld.adb.keys import AdbPublicKey, encode_public_key
from handheld_virtual import ManualClock, Scene, SceneError, VirtualPhone
from handheld_virtual.command_line import main
from handheld_virtual.scenes.scene import generated, shipped
from handheld_virtual.sms.telephony import Box, Outcome, Sim
from handheld_virtual.system.battery import DISCHARGING, Charge
from handheld_virtual.system.releases import NEWEST_API, OLDEST_API
from virtual.wire.phone_shell import run

PAGE = Path(__file__).parents[3] / "docs" / "virtual-phone.md"
KEYS = PAGE.with_name("virtual-phone-reference.md")


def write(folder: Path, text: str) -> Path:
    file = folder / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return file


def made(scene: Scene | Path | str) -> VirtualPhone:
    return VirtualPhone.from_scene(scene, clock=ManualClock())


@pytest.mark.parametrize("name", shipped())
def test_every_built_in_scene_makes_a_phone(name: str) -> None:
    scene = Scene.load(name)
    assert scene.about.endswith(".")
    world = made(name).world
    assert (world.api, world.events) == (scene.api, [])
    picture = world.picture(200)
    assert len(picture.getcolors(1 << 16) or []) > 10


def test_the_list_has_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list-scenes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == shipped()
    assert all(len(line) <= 100 for line in lines)
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"| `{name}` | {Scene.load(name).about} |" in page for name in shipped())


def test_the_whole_example_of_the_page_is_a_scene(tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", KEYS.read_text(encoding="utf-8"), re.DOTALL)
    example = max(blocks, key=len)  # the other blocks show a single table
    phone = made(write(tmp_path, example))
    world, files = phone.world, phone.files
    assert (world.api, world.width, world.height, world.density) == (33, 1080, 2340, 440)
    assert (phone.model, phone.serial) == ("Example One", "EX12345")
    assert [(each.user, each.closed) for each in world.profiles.values()] == [
        (10, True),
        (999, False),
    ]
    assert world.display.night
    assert world.keyguard.kind == "pin"
    assert not world.locked
    assert world.foreground is not None
    assert world.foreground[0] == "com.android.settings"
    assert world.clipboard.paste() == "copied"
    assert phone.faults.active == {"fill-disk": "1000000"}
    assert world.battery.charge == Charge(usb=False, status=DISCHARGING, level=41)
    assert not world.battery.pretended
    assert world.preferences.get("system", "screen_brightness") == "200"
    assert sorted(app.label for app in world.apps.values() if app.launchable) == [
        "Calculator",
        *[app.label for app in world.apps.values() if app.package == "com.android.launcher3"],
        "Notes",
        "Settings",
    ]
    assert files.list("/sdcard/Download") == ["readme.txt"]
    assert files.read("/sdcard/Download/readme.txt") == b"Hello"
    assert files.read("/sdcard/Pictures/dot.png")[:4] == b"\x89PNG"
    assert len(files.read("/sdcard/Movies/long.bin")) == 100_000
    telephony = world.telephony
    assert telephony.sims == [
        Sim(
            1,
            0,
            "Work",
            "Example Telecom",
            "+36201234567",
            "216",
            "30",
            "hu",
            "8936300000000000000",
        )
    ]
    [thread] = telephony.threads
    assert [(m.body, m.box, m.read) for m in thread.messages] == [
        ("Are you there?", Box.INBOX, False),
        ("Soon.", Box.SENT, True),
    ]
    assert thread.messages[1].date - thread.messages[0].date == 60_000
    outcomes = [telephony.outcome_for("+36701234567", 1) for _ in range(3)]
    assert outcomes == [(Outcome.NO_SERVICE, 1), (Outcome.NO_SERVICE, 1), (Outcome.OK, 1)]
    assert [(n.title, n.text) for n in world.notifications.posted] == [
        ("Reminder", "Water the plants")
    ]
    assert world.shell_revoked == {"android.permission.CAMERA"}
    assert world.disabled_packages == {"com.android.calculator2"}
    assert world.running.stopped == {"dev.handheld.notes"}
    settings = "com.android.settings"
    assert world.preferred_activities == {(settings, f"{settings}.Settings")}
    assert world.approved_links == {settings: {"help.example"}}
    [dropped] = world.dropbox.entries()
    assert (dropped.tag, "Restore failed" in dropped.text) == ("data_app_crash", True)
    assert (world.wall.now() - dropped.time).total_seconds() == 20 * 60


def test_apps_have_died_in_every_way_before_the_scene_begins(tmp_path: Path) -> None:
    kinds = ("crash", "native_crash", "anr", "low_memory")
    text = "".join(
        f"[[crashes]]\napp = 'Calculator'\nkind = '{kind}'\nreason = 'no beans'\n"
        f"minutes_ago = {minutes}\n"
        for minutes, kind in enumerate(kinds)
    )
    phone = made(write(tmp_path, text))
    world = phone.world
    assert [entry.tag for entry in world.dropbox.entries()] == [
        "system_app_anr",
        "system_app_native_crash",
        "SYSTEM_TOMBSTONE",
        "system_app_crash",
    ]
    exits = world.running.exits["com.android.calculator2"]
    assert [(exit.reason, exit.importance) for exit in exits] == [
        (3, 125),
        (6, 400),
        (5, 400),
        (4, 400),
    ]
    assert [window for window in world.windows() if window.package == "android"] == []
    with pytest.raises(SceneError, match="kind"):
        made(write(tmp_path, "[[crashes]]\napp = 'Calculator'\nkind = 'sadness'\n"))
    with pytest.raises(SceneError, match="Calculater"):
        made(write(tmp_path, "[[crashes]]\napp = 'Calculater'\n"))


def test_a_notification_of_a_scene_has_what_the_scene_says(tmp_path: Path) -> None:
    text = (
        "[[notifications]]\napp = 'Notes'\ntitle = 'Ada'\ntext = 'Hi'\nbig_text = 'Hi there'\n"
        "sub_text = 'Home'\ntag = 't'\ngroup = 'g'\nongoing = true\nreply = 'Answer'\n"
        "buttons = ['Done', 'Later']\n"
    )
    [note] = made(write(tmp_path, text)).world.notifications.posted
    assert (note.big_text, note.sub_text, note.tag, note.group) == ("Hi there", "Home", "t", "g")
    assert note.ongoing
    assert [(action.title, action.takes_text) for action in note.actions] == [
        ("Answer", True),
        ("Done", False),
        ("Later", False),
    ]


def test_a_scene_says_which_apps_take_intents_without_a_question(tmp_path: Path) -> None:
    text = (
        "[phone]\nrevoked = ['android.permission.CAMERA']\nlistener = false\n"
        "[apps]\ndisabled = ['Calculator']\nstopped = ['Notes']\n"
        "[[links]]\napp = 'Browser'\nactivity = '.BrowserActivity'\nhosts = ['news.example']\n"
    )
    world = made(write(tmp_path, text)).world
    assert world.shell_revoked == {"android.permission.CAMERA"}
    assert world.listener_refused
    assert world.disabled_packages == {"com.android.calculator2"}
    assert world.running.stopped == {"dev.handheld.notes"}
    browser = "com.android.browser"
    assert world.preferred_activities == {(browser, f"{browser}.BrowserActivity")}
    assert world.approved_links == {browser: {"news.example"}}
    assert not made("default").world.listener_refused


async def test_messages_arrive_and_fail_according_to_the_scene(tmp_path: Path) -> None:
    text = (
        "[[sims]]\n[[sims]]\nservice = false\n"
        "[[incoming]]\nfrom = 'BANK'\ntext = 'Code 1'\n"
        "[[incoming]]\nfrom = '+36301112233'\ntext = 'Here'\nafter_seconds = 30\n"
        "[[failures]]\nto = '+1*'\noutcome = 'fdn-check-failure'\npart = 2\n"
    )
    clock = ManualClock()
    world = VirtualPhone.from_scene(write(tmp_path, text), clock=clock).world
    world.settle()
    assert [message.body for message in world.telephony.messages] == ["Code 1"]
    await clock.advance(30_000)
    world.settle()
    assert [message.body for message in world.telephony.messages] == ["Code 1", "Here"]
    assert world.telephony.unread == 2
    assert world.telephony.outcome_for("+36301112233", 2) == (Outcome.NO_SERVICE, 1)
    assert world.telephony.outcome_for("+15550100", 1) == (Outcome.FDN_CHECK_FAILURE, 2)


def test_the_default_phone_has_notifications_in_its_status_bar_and_shade() -> None:
    world = made("default").world
    titles = ["Ada Lovelace", "Rain in the afternoon"]
    assert [note.title for note in world.notifications.posted] == titles
    [bar] = [w for w in world.automation.read_windows() if w.title == "Status bar"]
    signs = [node.description or "" for node in bar.nodes]
    assert "Messages notification: Ada Lovelace" in signs
    world.press("notifications")
    [shade] = [w for w in world.automation.read_windows() if w.title == "Notification shade"]
    assert set(titles) <= {node.text for node in shade.nodes}


def test_a_conversation_is_titled_with_the_name_of_the_contact() -> None:
    world = made("default").world
    world.bring("com.android.messaging")
    [listed] = [w for w in world.automation.read_windows() if w.title == "Messages"]
    names = [n.text for n in listed.nodes if (n.resource_id or "").endswith("conversation_name")]
    assert names == ["Ada Lovelace", "Hugo Fischer"]
    world.start(
        "com.android.messaging",
        ".ui.conversation.ConversationActivity",
        {"address": "+1 202-555-1120"},
    )
    assert world.front.title == "Ada Lovelace"
    assert [note.title for note in world.notifications.posted] == ["Rain in the afternoon"]


def test_files_have_different_dates() -> None:
    phone = made("default")
    folder = "/sdcard/Download"
    names = ("readme.txt", "prices.csv", "invoice-2026-01.txt", "boarding-pass.txt")
    times = [phone.files.stat(f"{folder}/{name}").mtime for name in names]
    assert times == sorted(set(times))
    now = phone.world.wall.now().timestamp()
    assert now - times[-1] == 95 * 60


def test_a_locked_phone_is_locked_and_opened_by_its_pin() -> None:
    world = made("locked").world
    assert world.locked
    assert world.keyguard.kind == "pin"


def test_a_scene_chooses_the_form_of_the_app_function_command(tmp_path: Path) -> None:
    for form in "ABCDE":
        text = f'[phone]\napi = 36\napp_functions = "{form}"\n'
        assert made(write(tmp_path, text)).world.app_functions.generation == form
    assert made(write(tmp_path, "[phone]\napi = 36\n")).world.app_functions.generation == "D"
    assert made(write(tmp_path, "[phone]\napi = 37\n")).world.app_functions.generation == "E"
    with pytest.raises(SceneError, match="needs api 36 or newer"):
        made(write(tmp_path, '[phone]\napi = 35\napp_functions = "C"\n'))
    with pytest.raises(SceneError, match="must be one of A, B, C, D, E, not 'F'"):
        made(write(tmp_path, '[phone]\napi = 36\napp_functions = "F"\n'))


def test_given_values_override_the_scene() -> None:
    phone = VirtualPhone.from_scene("old", api=30, serial="mine", authorize=True)
    assert (phone.world.api, phone.serial, phone.world.width) == (30, "mine", 720)
    assert phone.authority.required
    assert phone.latency == "phone"


def test_a_foldable_phone_has_two_panels(tmp_path: Path) -> None:
    assert made(write(tmp_path, "[phone]\nfoldable = true\n")).world.foldable
    assert not made("default").world.foldable


def test_an_empty_phone_has_no_files_and_no_sim() -> None:
    phone = made("empty")
    folders = phone.files.list("/sdcard")
    assert folders
    assert [phone.files.list(f"/sdcard/{name}") for name in folders] == [[]] * len(folders)
    assert phone.world.telephony.sims == []


def test_file_path_is_relative_to_the_scene(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(b"\x00\xff")
    scene = write(tmp_path, '[[files]]\npath = "/sdcard/new folder/ä.bin"\nfrom = "data.bin"\n')
    phone = made(scene)
    assert phone.files.read("/sdcard/new folder/ä.bin") == b"\x00\xff"
    assert phone.files.read("/storage/emulated/0/new folder/ä.bin") == b"\x00\xff"


def test_app_is_loaded_from_a_python_file_and_opened(tmp_path: Path) -> None:
    (tmp_path / "hello.py").write_text(
        "from handheld_virtual.toolkit import Activity, App, Text\n"
        "class Hello(Activity):\n"
        "    def content(self):\n"
        "        return Text('Hello there')\n"
        "class HelloApp(App):\n"
        "    package, label = 'org.example.hello', 'Hello'\n"
        "    screens = (Hello,)\n",
        encoding="utf-8",
    )
    text = '[phone]\nopen = "org.example.hello/.Hello"\n[apps]\npython = ["hello.py"]\n'
    world = made(write(tmp_path, text)).world
    assert world.foreground == ("org.example.hello", "org.example.hello.Hello")
    assert "Hello there" in [node.text for w in world.automation.read_windows() for node in w.nodes]


def test_own_apk_is_installed(tmp_path: Path) -> None:
    (tmp_path / "small.apk").write_bytes(small_apk(manifest("org.small", activity())))
    world = made(write(tmp_path, '[apps]\napk = ["small.apk"]\n')).world
    assert "org.small" in world.apps
    (tmp_path / "small.apk").write_bytes(b"no package")
    with pytest.raises(SceneError, match=r"small\.apk is not installed: Failure \[INSTALL_"):
        made(tmp_path / "mine.toml")


def test_known_adb_key_is_authorized_without_a_prompt(tmp_path: Path) -> None:
    key = AdbPublicKey((1 << 2047) + 1, name="me@here")
    line = encode_public_key(key).rstrip(b"\0").decode()
    phone = made(write(tmp_path, f'[phone]\nauthorize = true\nadb_keys = ["{line}"]\n'))
    assert phone.allowed_keys == {replace(key, name="")}


def test_generated_files_are_the_same_every_time() -> None:
    assert generated(0) == b""
    assert len(generated(130)) == 130
    assert generated(130)[:64] == generated(130)[64:128]


@pytest.mark.parametrize(
    ("text", "output"),
    [
        (
            "[phone]\napi = 20",
            f"phone.api in {{}} must be a whole number from {OLDEST_API} to {NEWEST_API}, not 20.",
        ),
        (
            "[phone]\napi = true",
            "phone.api in {} must be a whole number"
            f" from {OLDEST_API} to {NEWEST_API}, not True.",
        ),
        ("[phone]\nheigth = 1", "{} has an unknown key 'phone.heigth'. Did you mean height?"),
        ("[phones]\n", "{} has an unknown key 'phones'. Did you mean phone?"),
        ("phone = 3", "phone in {} must be a table [phone], not 3."),
        ("[phone]\npin = '12'", "phone.pin in {} must have 4 to 16 digits."),
        ("[phone]\ndark = 1", "phone.dark in {} must be true or false, not 1."),
        ("[phone]\nmodel = 1", "phone.model in {} must be a text, not 1."),
        (
            "[phone]\nlatency = 'fast'",
            "phone.latency in {} must be one of none, phone, wifi, not 'fast'.",
        ),
        ("[phone]\nfaults = 'x'", "phone.faults in {} must be a list of texts, not 'x'."),
        (
            "[battery]\nplugged = 'car'",
            "battery.plugged in {} must be one of usb, ac, wireless, none, not 'car'.",
        ),
        ("files = 1", "files in {} must be tables [[files]]."),
        ("[[files]]\ntext = 'a'", "files[0].path in {} is missing."),
        (
            "[[files]]\npath = 'a'\ntext = 'a'",
            "files[0].path in {} must begin with /, as /sdcard/Download/a does.",
        ),
        (
            "[[files]]\npath = '/a'",
            "files[0].path in {} needs exactly one of text, base64, from and size beside it.",
        ),
        (
            "[[files]]\npath = '/a'\nbase64 = '*'",
            "files[0].base64 in {} cannot be decoded: Only base64 data is allowed.",
        ),
        (
            "[[messages]]\ntext = 'a'",
            "messages[0].text in {} needs exactly one of from and to beside it.",
        ),
        (
            "[[messages]]\nfrom = '1'\ntext = 'a'\nsim = 9",
            "messages[0].sim in {} is 9, and there is no such SIM.",
        ),
        (
            "[[failures]]\nto = '1'\noutcome = 'x'",
            "failures[0].outcome in {} must be one of generic-failure, radio-off, "
            "null-pdu, no-service, limit-exceeded, fdn-check-failure, short-code-not-allowed, "
            "short-code-never-allowed, not 'x'.",
        ),
        (
            "[[incoming]]\nfrom = '1'\ntext = 'a'\nsim = 9",
            "incoming[0].sim in {} is 9, and there is no such SIM.",
        ),
        ("[[links]]\napp = 'Browser'", "links[0].app in {} needs activity or hosts beside it."),
        (
            "[preferences.secure]\na = 1.5",
            "preferences.secure.a in {} must be a text or a whole number, not 1.5.",
        ),
        (
            "[preferences.none]\n",
            "{} has an unknown key 'preferences.none'. Known: system, secure, global.",
        ),
        (
            "[phone",
            "{} is not valid TOML: Expected ']' at the end of a table declaration "
            "(at end of document).",
        ),
    ],
)
def test_invalid_scene_reports_location_and_reason(tmp_path: Path, text: str, output: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(SceneError) as caught:
        Scene.load(file)
    assert str(caught.value) == output.format(file)


@pytest.mark.parametrize(
    ("text", "output"),
    [
        (
            "[phone]\nopen = 'Calcolator'",
            "The scene mine names an app 'Calcolator', which does not exist. "
            "Did you mean calculator?",
        ),
        (
            "[phone]\nopen = 'Calculator/.None'",
            "phone.open of mine names .None, which com.android.calculator2 does not have.",
        ),
        (
            "[phone]\nfaults = ['fill-dsk']",
            "phone.faults of mine: Unknown fault 'fill-dsk'. Did you mean fill-disk?",
        ),
        ("[phone]\nadb_keys = ['x']", "phone.adb_keys of mine has no adb key: "),
        (
            "[[files]]\npath = '/sdcard/Download/readme.txt/a'\ntext = 'a'",
            "The scene mine cannot put /sdcard/Download/readme.txt/a on the phone: ",
        ),
        ("[apps]\npython = ['none.py']", "apps.python of mine: "),
        ("[apps]\napk = ['none.apk']", "apps.apk of mine: "),
        (
            "[[links]]\napp = 'Browser'\nactivity = '.None'",
            "links of mine names .None, which com.android.browser does not have.",
        ),
    ],
)
def test_errors_that_need_the_phone_are_reported_when_it_is_made(
    tmp_path: Path, text: str, output: str
) -> None:
    with pytest.raises(SceneError) as caught:
        made(write(tmp_path, text))
    assert str(caught.value).startswith(output)


def test_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(SceneError, match=r"No scene is called 'ofice'\. Did you mean office\?"):
        Scene.load("ofice")


def test_folder_is_not_a_scene(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="cannot be read: Is a directory"):
        Scene.load(tmp_path)


def test_a_scene_shows_captured_screens_at_their_size(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        "<hierarchy rotation='1'><node text='x' package='org.a' bounds='[0,0][1280,720]'/>"
        "</hierarchy>",
        encoding="utf-8",
    )
    world = made(write(tmp_path, '[[show]]\ndump = "a.xml"\n')).world
    assert (world.width, world.height, world.rotation) == (1280, 720, 1)
    assert world.foreground == ("org.a", "org.a.Screen1")


@pytest.mark.parametrize(
    ("flags", "output"),
    [
        (["--scene", "offic"], "No scene is called 'offic'. Did you mean office?"),
        (["--fault", "frez=a"], "Unknown fault 'frez'. Did you mean freeze?"),
        (["--show", "/none/a.xml"], "/none/a.xml cannot be read: No such file or directory."),
        (["--latency", "fast"], "invalid choice: 'fast'"),
        (["--api", "12"], f"--api is a number from {OLDEST_API} to {NEWEST_API}"),
        (["--size", "1080"], "a size is two numbers from 240 to 4096, as 1080x2400"),
        (["--size", "100x9000"], "a size is two numbers from 240 to 4096, as 1080x2400"),
    ],
)
def test_flags_that_cannot_be_used_are_refused(
    flags: list[str], output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(flags)
    assert ended.value.code == 2
    assert output in capsys.readouterr().err


async def test_a_profile_has_apps_of_its_own() -> None:
    async with VirtualPhone.from_scene("work", api=30) as phone:
        listed = (await run(phone, "pm list users")).stdout
        assert "UserInfo{10:Work profile:1030} running" in listed
        assert "UserInfo{999:Clone:1010} running" in listed
        apps = (await run(phone, "pm list packages -U --user 10 notes")).stdout
        own = (await run(phone, "pm list packages -U notes")).stdout
        assert int(apps.rpartition(":")[2]) == int(own.rpartition(":")[2]) + 10 * 100_000
        assert "User 11 does not exist" in (await run(phone, "pm list packages --user 11")).stderr
        package = own.partition(":")[2].partition(" ")[0]
        found = await run(
            phone,
            f"cmd package query-activities --brief --user 10 -p {package}"
            " -a android.intent.action.MAIN -c android.intent.category.LAUNCHER",
        )
        activity = found.stdout.splitlines()[-1].strip()
        await run(phone, f"am start --user 10 -n {activity}")
        assert f" u10 {activity}" in (await run(phone, "dumpsys activity activities")).stdout
        assert "u10 " in (await run(phone, "dumpsys window displays | grep mCurrentFocus")).stdout
        assert (await run(phone, f"pidof {package}")).stdout.strip()
        assert phone.world.front.app is phone.world.profiles[10].apps[package]
        assert phone.world.front.app is not phone.world.apps[package]
