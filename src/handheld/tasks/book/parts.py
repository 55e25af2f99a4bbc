"""Parts shared by several tasks: words to draw from, scenes, and checks."""

import re
from collections.abc import Callable, Mapping
from random import Random
from typing import TypeVar

from handheld_virtual import ROOT, Box, World
from handheld_virtual.apps import Contact, Note, Notes, everybody
from handheld_virtual.toolkit import App

from ..task import Check, FactCheck

Kind = TypeVar("Kind", bound=App)

DOWNLOAD = "/storage/emulated/0/Download"
STORAGE = ("Internal storage", "Download")
"""The rows that lead to the Download folder in the Files app."""
THINGS = ("milk", "bread", "eggs", "rice", "apples", "coffee", "soap", "candles", "tape", "stamps")
PLACES = ("station", "library", "market", "museum", "harbour", "bakery")
LONGEST_ANSWER = 200
"""An answer must not list everything that was on the screen."""


def app(world: World, kind: type[Kind]) -> Kind:
    return next(each for each in world.apps.values() if isinstance(each, kind))


def install(world: World, kind: type[Kind]) -> Kind:
    installed = world.install(kind)
    assert isinstance(installed, kind)
    return installed


# Drawing


def things(draw: Random, count: int = 3) -> list[str]:
    return draw.sample(THINGS, count)


def number(draw: Random) -> str:
    """An unassigned telephone number."""
    return f"+1555{draw.randrange(100_000, 1_000_000)}"


def contact(draw: Random) -> Contact:
    return draw.choice(everybody())


def code(draw: Random) -> str:
    return str(draw.randrange(100_000, 1_000_000))


# Scenes


def one_sim(world: World) -> None:
    """With one SIM, messages need no choice of a card."""
    world.telephony.sims = world.telephony.sims[:1]


def put_notes(*notes: tuple[str, str]) -> Callable[[World], None]:
    return lambda world: app(world, Notes).notes.extend(Note(*note) for note in notes)


def put_file(world: World, name: str, text: str) -> None:
    world.files.write(f"{DOWNLOAD}/{name}", text.encode(), 0o660, user=ROOT)


def received(*messages: tuple[str, str]) -> Callable[[World], None]:
    """Received messages, the oldest first."""

    def prepare(world: World) -> None:
        one_sim(world)
        now = round(world.wall.now().timestamp() * 1000)
        for age, (sender, text) in enumerate(reversed(messages), 1):
            world.telephony.store(sender, text, date=now - age * 60_000, read=False)

    return prepare


def both(*prepare: Callable[[World], object]) -> Callable[[World], None]:
    def run(world: World) -> None:
        for each in prepare:
            each(world)

    return run


# Checks


def setting(table: str, name: str, value: str) -> FactCheck:
    def judge(facts: Mapping[str, str], answer: str) -> str:
        found = facts.get(f"setting {table} {name}")
        return "" if found == value else f"{name} is {found}, not {value}."

    return FactCheck(judge)


def sent(to: str, text: str) -> Check:
    """Checks that this message was sent once, and no other message."""
    wanted = [(_digits(to), text)]

    def check(world: World, answer: str) -> str:
        found = [
            (_digits(message.address), message.body)
            for message in world.telephony.messages
            if message.box is not Box.INBOX
        ]
        return "" if found == wanted else f"Sent were {found}, not {wanted}."

    return check


def noted(*notes: tuple[str, str]) -> Check:
    """Checks that these notes exist, and no others."""
    wanted = sorted(notes)

    def check(world: World, answer: str) -> str:
        found = sorted((note.title.strip(), note.body.strip()) for note in app(world, Notes).notes)
        return "" if found == wanted else f"The notes are {found}, not {wanted}."

    return check


def is_file(path: str, there: bool = True) -> FactCheck:
    def judge(facts: Mapping[str, str], answer: str) -> str:
        if (f"file {path}" in facts) == there:
            return ""
        return f"{path} is {'not ' if there else ''}there."

    return FactCheck(judge)


def every(*checks: Check) -> Check:
    def check(world: World, answer: str) -> str:
        return next((why for each in checks if (why := each(world, answer))), "")

    return check


def answered(wanted: str) -> FactCheck:
    """Checks that the answer is short and contains these words."""

    def judge(facts: Mapping[str, str], answer: str) -> str:
        if not answer.strip():
            return "There is no answer."
        if len(answer.strip()) > LONGEST_ANSWER:
            return f"The answer has more than {LONGEST_ANSWER} characters."
        found = re.search(rf"(?<!\w){re.escape(_folded(wanted))}(?!\w)", _folded(answer))
        return "" if found else f"The answer is {answer.strip()!r}, not {wanted!r}."

    return FactCheck(judge)


def said(yes: bool | Callable[[Mapping[str, str]], bool]) -> FactCheck:
    """Checks that the answer begins with yes or no. A function of the facts may decide which."""

    def judge(facts: Mapping[str, str], answer: str) -> str:
        word = (re.findall(r"\w+", answer.casefold()) or [""])[0]
        wanted = "yes" if (yes if isinstance(yes, bool) else yes(facts)) else "no"
        return "" if word == wanted else f"The answer is {answer.strip()!r}, not {wanted}."

    return FactCheck(judge)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _digits(text: str) -> str:
    return re.sub(r"[^\d+]", "", text)
