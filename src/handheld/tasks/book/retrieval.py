"""Tasks whose result is an answer; nothing may change."""

from pathlib import Path
from random import Random

from handheld_virtual import World

from ..apps import Letter, Mail, Product, Shop
from ..task import Book, Plan, open_app, press, stage, tap, type_into
from .parts import (
    PLACES,
    STORAGE,
    THINGS,
    answered,
    code,
    contact,
    install,
    number,
    put_file,
    put_notes,
    received,
)

BOOK = Book("retrieval")
_TIMETABLE = Path(__file__).parent / "timetable" / "scene.toml"
_DEPARTURES = {
    ("12", "Harbour"): "7:05",
    ("12", "Museum"): "7:20",
    ("31", "Library"): "7:25",
    ("31", "Station"): "7:40",
    ("44", "Market"): "8:10",
    ("44", "Harbour"): "8:35",
}
"""The contents of the captured screen."""


@BOOK.task("contact-number")
def contact_number(draw: Random) -> Plan:
    who = contact(draw)
    return Plan(
        f"What is the telephone number of the contact {who.name}? Answer as the contacts write it.",
        answered(who.number),
        [
            stage(
                open_app("Contacts"),
                type_into("Search contacts", who.name),
                note=r"(\+1 202 \d{3} \d{4})",
            )
        ],
        answer="{0}",
    )


@BOOK.task("newest-code")
def newest_code(draw: Random) -> Plan:
    sender, digits = number(draw), code(draw)
    return Plan(
        f"What is the newest code that {sender} has sent by text message?",
        answered(digits),
        [
            stage(open_app("Messages")),
            # The list shows the newest message of each conversation.
            stage(note=r"Your code is (\d{6})"),
        ],
        answer="{0}",
        prepare=received(
            (sender, f"Your code is {code(draw)}."),
            (number(draw), f"{code(draw)} people like this."),
            (sender, f"Your code is {digits}."),
        ),
    )


@BOOK.task("note-amount")
def note_amount(draw: Random) -> Plan:
    one, other = draw.sample(THINGS, 2)
    amount = draw.randrange(2, 60)
    return Plan(
        f"How many packs of {one} does the note “List” say?",
        answered(str(amount)),
        [stage(open_app("Notes")), stage(tap("List"), note=rf"(\d+) packs of {one}")],
        answer="{0}",
        prepare=put_notes(
            ("List", f"{amount} packs of {one}, {amount + 3} packs of {other}"),
            ("Old", f"{amount + 1} packs of {one}"),
        ),
    )


@BOOK.task("file-line")
def file_line(draw: Random) -> Plan:
    names = draw.sample(THINGS, 4)
    prices = {name: f"{draw.randrange(100, 900) / 100:.2f}" for name in names}
    wanted = draw.choice(names)
    text = "".join(f"{name} costs {price}\n" for name, price in prices.items())
    return Plan(
        f"What does the file costs.txt in the folder Download say that {wanted} costs?",
        answered(prices[wanted]),
        [
            stage(open_app("Files"), *map(tap, STORAGE)),
            stage(tap("costs.txt"), note=rf"{wanted} costs (\d\.\d\d)"),
        ],
        answer="{0}",
        prepare=lambda world: put_file(world, "costs.txt", text),
    )


@BOOK.task("cheapest-product")
def cheapest_product(draw: Random) -> Plan:
    names = draw.sample(THINGS, 5)
    prices = draw.sample(range(100, 900), 5)
    products = [
        Product(name.capitalize(), f"{cents / 100:.2f} €")
        for name, cents in zip(names, prices, strict=True)
    ]
    cheapest = products[prices.index(min(prices))]

    def prepare(world: World) -> None:
        install(world, Shop).products = products

    return Plan(
        "What is the cheapest product in the app Shop? Answer with its name. Buy nothing.",
        answered(cheapest.name),
        [stage(open_app("Shop"), note=rf"({cheapest.name})")],
        answer="{0}",
        prepare=prepare,
    )


@BOOK.task("mail-sender")
def mail_sender(draw: Random) -> Plan:
    people = draw.sample(["Mei", "Omar", "Rosa", "Kofi"], 3)
    letters = [
        Letter(people[0], "Photos", "Here they are."),
        Letter(people[1], "Keys", f"They are at the {draw.choice(PLACES)}."),
        Letter(people[2], "Holiday", "Greetings from the sea."),
    ]
    draw.shuffle(letters)

    def prepare(world: World) -> None:
        install(world, Mail).letters = letters

    return Plan(
        "Who has written the mail with the subject Keys?",
        answered(people[1]),
        [stage(open_app("Mail")), stage(tap("Keys"), note=r"From (\w+)")],
        answer="{0}",
        prepare=prepare,
    )


@BOOK.task("notification-text")
def notification_text(draw: Random) -> Plan:
    place = draw.choice(PLACES)

    def prepare(world: World) -> None:
        world.notify("com.android.deskclock", "Alarm", "Tomorrow at 7:30")
        world.notify("dev.handheld.notes", "Reminder", f"Meet Rosa at the {place}")

    return Plan(
        "Where does the notification of the app Notes say that you meet Rosa? Answer with one"
        " word.",
        answered(place),
        [stage(press("notifications"), note=r"Meet Rosa at the (\w+)")],
        answer="{0}",
        prepare=prepare,
    )


@BOOK.task("device-name-shown")
def device_name_shown(draw: Random) -> Plan:
    place = draw.choice(PLACES)

    def prepare(world: World) -> None:
        world.preferences.put("global", "device_name", f"Phone of the {place}")

    return Plan(
        "Whose phone is this, by its device name in the settings? Answer with one word.",
        answered(place),
        [
            stage(open_app("Settings"), type_into("Search settings", "about")),
            stage(tap("About phone"), note=r"Phone of the (\w+)"),
        ],
        answer="{0}",
        prepare=prepare,
    )


@BOOK.task("departure-on-a-captured-screen")
def departure(draw: Random) -> Plan:
    (line, place), time = draw.choice(list(_DEPARTURES.items()))
    return Plan(
        f"When does the {line} to {place} leave? The screen shows it.",
        answered(time),
        [stage(note=rf"(\d:\d\d) +{line} {place}")],
        answer="{0}",
        scene=str(_TIMETABLE),
    )
