"""A dozen tasks, and how the phone's state shows that one is done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from handheld.virtual.apps.calculator import CalculatorScreen
from handheld.virtual.apps.contacts import ContactScreen, contacts
from handheld.virtual.apps.form import ContactForm
from handheld.virtual.apps.login import CAMERA, AccountScreen, Login
from handheld.virtual.apps.notes import Note, Notes
from handheld.virtual.apps.settings import SettingsScreen
from handheld.virtual.world import World

from .policy import Stage, Step

Kind = TypeVar("Kind")

NUMBER = r"\+1 202 \d{3} \d{4}"


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    stages: Sequence[Stage]
    shows: str
    """A pattern on the last screen by which an agent sees that it is done."""
    is_done: Callable[[World], bool]
    prepare: Callable[[World], object] = lambda world: None


def _open(app: str) -> Step:
    return Step("open", app)


def _tap(words: str) -> Step:
    return Step("tap", words)


def _type(into: str, text: str) -> Step:
    return Step("type", into, text)


def _stages(*stages: Sequence[Step] | Stage) -> list[Stage]:
    return [stage if isinstance(stage, Stage) else Stage(stage) for stage in stages]


def _notes(world: World) -> list[tuple[str, str]]:
    return [(note.title, note.body) for note in _app(world, Notes).notes]


def _number(name: str) -> str:
    return next(contact.number for contact in contacts() if contact.name == name)


def _app(world: World, kind: type[Kind]) -> Kind:
    return next(app for app in world.apps.values() if isinstance(app, kind))


TASKS = (
    Task(
        "switch airplane mode on",
        _stages(
            Stage([_open("Settings"), _tap("Network & internet"), _tap("Airplane mode")], sure=True)
        ),
        r'"Airplane mode" on',
        lambda world: world.preferences.get("global", "airplane_mode_on") == "1",
    ),
    Task(
        "fill in and send the contact form",
        _stages(
            [_open("Contact form")],
            [
                _type("Full name", "Ada Lovelace"),
                _type("name@example.com", "ada@example.com"),
                _type("Phone number", "+44 20 7946 0958"),
                _tap("Submit"),
            ],
        ),
        r"Saved: Ada Lovelace",
        lambda world: (
            isinstance(world.front, ContactForm)
            and world.front.saved.text == "Saved: Ada Lovelace <ada@example.com>"
            and world.front.fields["phone"].content == "+44 20 7946 0958"
        ),
    ),
    Task(
        "add a note",
        _stages(
            [_open("Notes")],
            [_tap("New note")],
            [
                _type("Title", "Shopping"),
                _type("Write something", "Milk, bread, 12 eggs"),
                _tap("Save"),
            ],
        ),
        r"Shopping",
        lambda world: _notes(world) == [("Shopping", "Milk, bread, 12 eggs")],
    ),
    Task(
        "find a contact far down and open it",
        _stages(
            Stage(
                [_open("Contacts"), _type("Search contacts", "Zoë Young"), _tap("Zoë Young")],
                sure=True,
            )
        ),
        r"Zoë Young",
        lambda world: (
            isinstance(world.front, ContactScreen)
            and world.front.contact is not None
            and world.front.contact.name == "Zoë Young"
        ),
    ),
    Task(
        "send a message with the Messages app",
        _stages(
            Stage([_open("Messages"), _tap("Start chat")], sure=True),
            [
                _type("Type a phone number", "+15550100"),
                _type("Text message", "See you at 8"),
                _tap("Send Message"),
            ],
        ),
        r"See you at 8",
        lambda world: (
            [
                (message.address, message.body)
                for thread in world.telephony.threads
                for message in thread.messages
            ]
            == [("+15550100", "See you at 8")]
        ),
    ),
    Task(
        "compute 7 × 8",
        _stages(
            Stage([_open("Calculator"), _tap("7"), _tap("×"), _tap("8"), _tap("=")], sure=True)
        ),
        r"\b56\b",
        lambda world: (
            isinstance(world.front, CalculatorScreen)
            and world.front.result.text == "56"
            and world.front.fresh
        ),
    ),
    Task(
        "log in",
        _stages(
            [_open("Login")],
            [_type("User name", "ada"), _type("Password", "lovelace1815"), _tap("Sign in")],
        ),
        r"Account",
        lambda world: (
            isinstance(world.front, AccountScreen) and world.front.extras.get("user") == "ada"
        ),
    ),
    Task(
        "delete a note, which is done by emptying it",
        _stages(
            [_open("Notes")],
            [_tap("Old list")],
            [Step("clear", "Old list"), Step("clear", "Batteries and tape"), _tap("Save")],
        ),
        r"Keep me",
        lambda world: _notes(world) == [("Keep me", "Important")],
        lambda world: _app(world, Notes).notes.extend(
            [Note("Keep me", "Important"), Note("Old list", "Batteries and tape")]
        ),
    ),
    Task(
        "copy a contact's number into a note",
        _stages(
            Stage(
                [_open("Contacts"), _type("Search contacts", "Ada Lovelace")],
                sure=True,
                note=NUMBER,
            ),
            [_open("Notes")],
            [_tap("New note")],
            [_type("Title", "Ada"), _type("Write something", "{0}"), _tap("Save")],
        ),
        r"Ada",
        lambda world: _notes(world) == [("Ada", _number("Ada Lovelace"))],
    ),
    Task(
        "set the screen timeout to five minutes and go back",
        _stages(
            Stage([_open("Settings"), _tap("Display"), _tap("Screen timeout")], sure=True),
            [_tap("5 minutes"), Step("press", "back")],
        ),
        r"Network & internet",
        lambda world: (
            world.preferences.get("system", "screen_off_timeout") == "300000"
            and isinstance(world.front, SettingsScreen)
        ),
    ),
    Task(
        "let an app use the camera",
        _stages([_open("Login")], [_tap("Scan a code"), _tap("While using the app")]),
        r"Point the camera at a code",
        lambda world: (
            isinstance(world.front, AccountScreen)
            and bool(world.front.finder.shown)
            and world.permissions.granted("dev.handheld.login", CAMERA)
        ),
        lambda world: setattr(_app(world, Login), "user", "ada"),
    ),
    Task(
        "search the settings and switch the dark theme on",
        _stages(
            Stage([_open("Settings"), _type("Search settings", "dark")], sure=True),
            [_tap("Display"), _tap("Dark theme")],
        ),
        r'"Dark theme" on',
        lambda world: world.switches["dark"],
    ),
)
