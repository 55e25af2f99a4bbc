"""Tasks that need more than one app."""

from random import Random

from handheld_virtual import World
from handheld_virtual.apps import STORIES

from ..apps import Letter, Mail, Product, Shop
from ..task import Book, Plan, Stage, open_app, press, stage, tap, type_into, wait
from .parts import (
    PLACES,
    STORAGE,
    THINGS,
    both,
    code,
    contact,
    install,
    noted,
    number,
    one_sim,
    put_file,
    put_notes,
    received,
    sent,
)

BOOK = Book("several apps")


def _write_note(title: str, body: str) -> list[Stage]:
    return [
        stage(open_app("Notes")),
        stage(tap("New note")),
        stage(type_into("Title", title), type_into("Write something", body), tap("Save")),
    ]


def _write_message(to: str, text: str) -> list[Stage]:
    return [
        stage(open_app("Messages"), tap("Start chat")),
        stage(
            type_into("Type a phone number", to),
            type_into("Text message", text),
            tap("Send Message"),
        ),
    ]


@BOOK.task("number-to-note")
def number_to_note(draw: Random) -> Plan:
    who = contact(draw)
    return Plan(
        f"Make a note with the title “{who.name}” and the telephone number of this contact as its"
        " text, written as in the contacts.",
        noted((who.name, who.number)),
        [
            stage(
                open_app("Contacts"),
                type_into("Search contacts", who.name),
                note=r"(\+1 202 \d{3} \d{4})",
            ),
            *_write_note(who.name, "{0}"),
        ],
        may_change=["note *"],
    )


@BOOK.task("number-to-message")
def number_to_message(draw: Random) -> Plan:
    who, to = contact(draw), number(draw)
    return Plan(
        f"Send the telephone number of the contact {who.name} to {to}: a message with nothing but"
        " the number, written as in the contacts.",
        sent(to, who.number),
        [
            stage(
                open_app("Contacts"),
                type_into("Search contacts", who.name),
                note=r"(\+1 202 \d{3} \d{4})",
            ),
            *_write_message(to, "{0}"),
        ],
        prepare=one_sim,
        may_change=["message to *"],
    )


@BOOK.task("code-to-note")
def code_to_note(draw: Random) -> Plan:
    sender, digits = number(draw), code(draw)
    return Plan(
        f"Write the code that {sender} has sent by text message into a new note with the title"
        " “Code”. The note's text is nothing but the code.",
        noted(("Code", digits)),
        [
            stage(open_app("Messages")),
            stage(tap(sender), note=r"code is (\d{6})"),
            *_write_note("Code", "{0}"),
        ],
        prepare=received(
            (number(draw), f"Old code: {code(draw)}"), (sender, f"Your code is {digits}.")
        ),
        may_change=["note *"],
    )


@BOOK.task("file-to-message")
def file_to_message(draw: Random) -> Plan:
    to, word = number(draw), f"{draw.choice(PLACES)}-{draw.randrange(100, 1000)}"
    return Plan(
        f"The file wifi.txt in the folder Download has the password of the Wi-Fi. Send it to {to}:"
        " a message with nothing but the password.",
        sent(to, word),
        [
            stage(open_app("Files"), *map(tap, STORAGE)),
            stage(tap("wifi.txt"), note=r"password: ([a-z]+-\d+)"),
            *_write_message(to, "{0}"),
        ],
        prepare=both(one_sim, lambda world: put_file(world, "wifi.txt", f"password: {word}\n")),
        may_change=["message to *"],
    )


@BOOK.task("mail-to-note")
def mail_to_note(draw: Random) -> Plan:
    place, hour = draw.choice(PLACES), draw.randrange(2, 9)
    where = f"{hour}:30 at the {place}"
    letters = [
        Letter("Mei", "Meeting", f"Dear all,\nwe meet {where}.\nMei"),
        Letter("Shop", "Your order", "It is on its way."),
        Letter("Omar", "Photos", "Have a look at these."),
    ]
    draw.shuffle(letters)

    def prepare(world: World) -> None:
        install(world, Mail).letters = letters

    return Plan(
        "Write down when and where the meeting of Mei's mail is: a note with the title “Meeting”"
        " and a text such as “4:30 at the zoo”.",
        noted(("Meeting", where)),
        [
            stage(open_app("Mail")),
            stage(tap("Meeting"), note=r"we meet (\d:30 at the \w+)"),
            *_write_note("Meeting", "{0}"),
        ],
        prepare=prepare,
        may_change=["note *"],
    )


@BOOK.task("price-to-note")
def price_to_note(draw: Random) -> Plan:
    names = draw.sample(THINGS, 4)
    products = [
        Product(name.capitalize(), f"{draw.randrange(100, 900) / 100:.2f} €") for name in names
    ]
    wanted = draw.choice(products)

    def prepare(world: World) -> None:
        install(world, Shop).products = products

    return Plan(
        f"Look up in the app Shop what {wanted.name} costs, and put it into a note: the title is"
        f" “{wanted.name}”, the text the price as the shop writes it. Buy nothing.",
        noted((wanted.name, wanted.price)),
        [
            stage(open_app("Shop")),
            stage(tap(wanted.name), note=r"(\d\.\d\d €)"),
            *_write_note(wanted.name, "{0}"),
        ],
        prepare=prepare,
        may_change=["note *"],
    )


@BOOK.task("answer-a-notification")
def answer_a_notification(draw: Random) -> Plan:
    sender, text = number(draw), f"Yes, {draw.randrange(2, 9)} of us"

    def prepare(world: World) -> None:
        one_sim(world)
        world.telephony.receive(sender, "Do you come?")
        world.notify("com.android.deskclock", "Alarm", "Tomorrow at 7:30")

    return Plan(
        f"A notification tells of a new text message. Open it and reply “{text}”.",
        sent(sender, text),
        [
            stage(press("notifications")),
            stage(tap("Do you come?")),
            stage(type_into("Text message", text), tap("Send Message")),
        ],
        prepare=prepare,
        may_change=[f"message to {sender}*"],
    )


@BOOK.task("news-to-note")
def news_to_note(draw: Random) -> Plan:
    _, headline, story = draw.choice(STORIES)
    return Plan(
        f"In the browser, open the story “{headline}” and put its first sentence into a note with"
        " the title “News”. Pages load slowly.",
        noted(("News", story)),
        [
            stage(open_app("Browser"), wait(headline)),
            stage(tap(headline), wait("All news"), note=rf"({story})"),
            *_write_note("News", "{0}"),
        ],
        may_change=["note *"],
    )


@BOOK.task("list-to-message")
def list_to_message(draw: Random) -> Plan:
    to, items = number(draw), ", ".join(draw.sample(THINGS, 3))
    return Plan(
        f"Send the text of the note “Shopping” to {to}, as it is.",
        sent(to, items),
        [
            stage(open_app("Notes")),
            stage(tap("Shopping"), note=rf"({items})"),
            *_write_message(to, "{0}"),
        ],
        prepare=both(one_sim, put_notes(("Shopping", items), ("Ideas", "a bicycle"))),
        may_change=["message to *"],
    )
