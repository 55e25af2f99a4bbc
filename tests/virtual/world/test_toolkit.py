"""User-written apps: the toolkit is complete, files load, and errors are reported."""

import inspect
from pathlib import Path

import pytest

from handheld_virtual import toolkit
from handheld_virtual.command_line import main
from handheld_virtual.packages.loading import BadApp, load_app
from handheld_virtual.phone import VirtualPhone
from handheld_virtual.system.clock import ManualClock
from handheld_virtual.toolkit import (
    Activity,
    App,
    Button,
    Column,
    ProgressBar,
    RadioButton,
    Text,
    View,
)
from handheld_virtual.world import World

from .finger import Finger

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "hello_app.py"
APP = """
from handheld_virtual.toolkit import Activity, App, Text, View

class Only(Activity):
    def content(self) -> View:
        return Text("Hello")

class One(App):
    package, label = "org.example.one", "One"
    screens = (Only,)
"""


def test_the_example_is_under_fifty_lines_and_works():
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) < 50
    phone = VirtualPhone(clock=ManualClock())
    phone.install(load_app(str(EXAMPLE)))
    world, finger = phone.world, Finger(phone.world)
    finger.tap("Shopping")
    finger.tap("item")
    world.type_text("Milk")
    empty = world.picture(400)
    finger.tap("add")
    assert [t for t in finger.texts() if t in ("Bread", "Coffee", "Milk")] == [
        *("Bread", "Coffee", "Milk")
    ]
    assert world.picture(400).tobytes() != empty.tobytes()
    finger.tap("Bread", "Coffee", "Milk")
    assert finger.text("message") == "Nothing is missing any more."
    finger.tap("OK")
    assert world.foreground is not None
    assert world.foreground[0] == "com.android.launcher3"


def test_the_page_about_apps_names_everything_in_the_toolkit():
    page = (ROOT / "docs" / "virtual-apps.md").read_text(encoding="utf-8")
    assert [name for name in toolkit.__all__ if f"`{name}" not in page] == []


WIDGETS = ("basic", "parts", "field", "recycler", "seek_bar")


def test_every_widget_is_in_the_toolkit():
    homes = ("view", "layout", *(f"widgets.{name}" for name in WIDGETS))
    offered = set(toolkit.__all__)
    missing: set[str] = set()
    for home in homes:
        module = __import__(f"handheld_virtual.views.{home}", fromlist=["_"])
        for name, value in vars(module).items():
            own = inspect.isclass(value) and value.__module__ == module.__name__
            if own and issubclass(value, View) and name not in offered:
                missing.add(name)
    assert missing == {"Linear", "Checkable"}


def write(folder: Path, text: str) -> str:
    path = folder / "mine.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_only_app_of_a_file_needs_no_name(tmp_path: Path):
    kind = load_app(write(tmp_path, APP))
    assert (kind.package, kind.main, list(kind.activities)) == (
        *("org.example.one", ".Only"),
        [".Only"],
    )


def test_one_of_several_apps_is_chosen_by_name(tmp_path: Path):
    two = APP + "\nclass Two(One):\n    package = 'org.example.two'\n"
    path = write(tmp_path, two)
    assert load_app(f"{path}:Two").package == "org.example.two"
    with pytest.raises(BadApp) as problem:
        load_app(path)
    assert str(problem.value) == (
        f"{path}: The apps there are One, Two. Please name one of them: {path}:One."
    )
    with pytest.raises(BadApp, match=r"no app is called Three\. The apps there are One, Two\."):
        load_app(f"{path}:Three")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = 1", "{path}: There is no app in it. Please derive one from App."),
        ("x = (", "{path}, line 1: SyntaxError: '(' was never closed (mine.py, line 1)"),
        ("\nimport nothing_such", "{path}, line 2: ModuleNotFoundError: No module named "),
        (
            APP.replace('"org.example.one", "One"', '"org.example.one", ""'),
            '{path}: One needs a label, such as label = "Hello"',
        ),
        (
            APP.replace("org.example.one", "one"),
            "{path}: One: 'one' is not a package name, such as org.example.hello",
        ),
        (
            APP + "    main = '.Other'\n",
            "{path}: One: its main activity .Other is not among its screens (.Only)",
        ),
    ],
)
def test_invalid_app_file_is_reported(tmp_path: Path, text: str, problem: str):
    path = write(tmp_path, text)
    with pytest.raises(BadApp) as raised:
        load_app(path)
    assert str(raised.value).startswith(problem.format(path=path))


def test_error_names_a_missing_file():
    with pytest.raises(BadApp, match=r"^nowhere\.py: there is no such file$"):
        load_app("nowhere.py")


def test_dialogs_choose_and_take_a_line(world: World, finger: Finger):
    answers: list[object] = []

    class Asking(Activity):
        def content(self) -> View:
            return Column(
                Button("Choose", self.pick, id="pick"), Button("Line", self.line, id="line")
            )

        def pick(self) -> None:
            self.choose("Which?", ["Red", "Green"], answers.append, chosen=0)

        def line(self) -> None:
            self.ask_text("Name?", answers.append, text="Ann")

    class AskingApp(App):
        package, label = "org.example.asking", "Asking"
        screens = (Asking,)

    world.install(AskingApp)
    world.launch("org.example.asking")
    finger.tap("pick", "Green", "pick", "Red", "line", "edit")
    world.type_text("a")
    world.key(66)
    assert answers == [1, 0, "Anna"]
    finger.tap("line", "Cancel")
    assert answers == [1, 0, "Anna"]


def test_a_radio_button_stays_on_and_progress_stays_in_bounds():
    events: list[bool] = []
    radio = RadioButton("One", on_change=events.append)
    assert (radio.click(), radio.click(), radio.checked, events) == (True, True, True, [True])
    bar = ProgressBar(2)
    bar.done = -1
    assert bar.done == 0


def test_activities_have_names_and_are_notified_when_resumed(world: World, finger: Finger):
    events: list[str] = []

    class First(Activity):
        def content(self) -> View:
            return Column(Text("First"), Button("Next", lambda: self.open(Second(self.app))))

        def resumed(self) -> None:
            events.append("first")

    class Second(Activity):
        def content(self) -> View:
            return Text("Second")

        def resumed(self) -> None:
            events.append("second")

    class Both(App):
        package, label = "org.example.both", "Both"
        screens = (First, Second)

    world.install(Both)
    assert world.launch("org.example.both") == "org.example.both.First"
    finger.tap("Next")
    world.press("back")
    world.press("home")
    world.launch("org.example.both")
    assert events == ["first", "second", "first", "first"]


def test_invalid_app_flag_is_reported(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["--app", f"{EXAMPLE}:Other"])
    assert capsys.readouterr().err.endswith(
        f"error: {EXAMPLE}: no app is called Other. The apps there are Shopping.\n"
    )
