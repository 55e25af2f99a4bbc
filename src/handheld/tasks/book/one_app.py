"""Tasks in one app."""

from random import Random

from handheld_virtual import World
from handheld_virtual.apps import CAMERA, AccountScreen, ContactForm, ContactScreen, Login

from ..task import Book, Plan, open_app, press, stage, tap, type_into, wait
from .parts import (
    PLACES,
    app,
    code,
    contact,
    noted,
    number,
    one_sim,
    put_notes,
    received,
    sent,
    things,
)

BOOK = Book("one app")
_LOGIN = "dev.handheld.login"


@BOOK.task("contact-form")
def contact_form(draw: Random) -> Plan:
    who, phone = contact(draw), number(draw)

    def check(world: World, answer: str) -> str:
        front = world.front
        if not isinstance(front, ContactForm):
            return "The form is not in front."
        saved = f"Saved: {who.name} <{who.email}>"
        if front.saved.text != saved:
            return f"The form says {front.saved.text!r}, not {saved!r}."
        if front.fields["phone"].content != phone:
            return f"The phone number is {front.fields['phone'].content!r}."
        return "" if front.agree.checked else "News by email is not chosen."

    return Plan(
        f"Fill in and submit the contact form: {who.name}, {who.email}, phone {phone}, with news"
        " by email. Leave the other fields empty, and stay there.",
        check,
        [
            stage(open_app("Contact form")),
            stage(
                type_into("Full name", who.name),
                type_into("name@example.com", who.email),
                type_into("Phone number", phone),
                press("back"),
                tap("Send me news by email"),
                tap("Submit"),
            ),
        ],
    )


@BOOK.task("note-new")
def note_new(draw: Random) -> Plan:
    title, body = draw.choice(PLACES).capitalize(), ", ".join(things(draw))
    return Plan(
        f"Make a note with the title “{title}” and the text “{body}”.",
        noted((title, body)),
        [
            stage(open_app("Notes")),
            stage(tap("New note")),
            stage(
                type_into("Title", title),
                type_into("Write something", body),
                tap("Save"),
            ),
        ],
        may_change=["note *"],
    )


@BOOK.task("note-unicode")
def note_unicode(draw: Random) -> Plan:
    body = draw.choice(["Schöne Grüße 👋", "東京 → 大阪", "naïve café № 7", "Ђорђе 🚲"])
    return Plan(
        f"Make a note with the title “✓ Ünï” and exactly this text: {body}",
        noted(("✓ Ünï", body)),
        [
            stage(open_app("Notes")),
            stage(tap("New note")),
            stage(
                type_into("Title", "✓ Ünï"),
                type_into("Write something", body),
                tap("Save"),
            ),
        ],
        may_change=["note *"],
    )


@BOOK.task("note-delete")
def note_delete(draw: Random) -> Plan:
    first, second = draw.sample(PLACES, 2)
    kept, gone = (first.capitalize(), "stays"), (second.capitalize(), "goes")
    return Plan(
        f"Delete the note “{gone[0]}”. The app has no button for it: a note that is emptied and"
        " saved is deleted.",
        noted(kept),
        [
            stage(open_app("Notes")),
            stage(tap(gone[0])),
            stage(type_into(gone[0], ""), type_into(gone[1], ""), tap("Save")),
        ],
        prepare=put_notes(kept, gone),
        may_change=["note *"],
    )


@BOOK.task("note-edit")
def note_edit(draw: Random) -> Plan:
    old, new = things(draw, 2)
    title = "Shopping"
    return Plan(
        f"In the note “{title}”, replace the text “{old}” by “{new}”.",
        noted((title, new), ("Other", old)),
        [
            stage(open_app("Notes")),
            stage(tap(title)),
            stage(type_into(old, new), tap("Save")),
        ],
        prepare=put_notes((title, old), ("Other", old)),
        may_change=["note *"],
    )


@BOOK.task("message-new")
def message_new(draw: Random) -> Plan:
    to, text = number(draw), f"See you at the {draw.choice(PLACES)} at {draw.randrange(5, 10)}"
    return Plan(
        f"Send the text message “{text}” to {to}.",
        sent(to, text),
        [
            stage(open_app("Messages"), tap("Start chat")),
            stage(
                type_into("Type a phone number", to),
                type_into("Text message", text),
                tap("Send Message"),
            ),
        ],
        prepare=one_sim,
        may_change=["message to *"],
    )


@BOOK.task("message-reply")
def message_reply(draw: Random) -> Plan:
    one, other = number(draw), number(draw)
    text = f"At the {draw.choice(PLACES)}"
    return Plan(
        f"Reply to the message that asks where we meet: “{text}”.",
        sent(one, text),
        [
            stage(open_app("Messages")),
            stage(tap("Where do we meet?")),
            stage(type_into("Text message", text), tap("Send Message")),
        ],
        prepare=received((one, "Where do we meet?"), (other, "Happy birthday!")),
        may_change=[f"message to {one}*"],
    )


@BOOK.task("message-delete")
def message_delete(draw: Random) -> Plan:
    one, other = number(draw), number(draw)

    def check(world: World, answer: str) -> str:
        left = {message.address for message in world.telephony.messages}
        return "" if left == {one} else f"There are messages of {sorted(left)}."

    return Plan(
        f"Delete the conversation with {other}.",
        check,
        [
            stage(open_app("Messages")),
            stage(tap(other)),
            stage(tap("Delete")),
            stage(tap("Delete")),
        ],
        prepare=received((one, "Keep me"), (other, "You have won!")),
        may_change=[f"message from {other}*"],
    )


@BOOK.task("login")
def login(draw: Random) -> Plan:
    user, password = draw.choice([("ada", "lovelace1815"), ("grace", "cobol-1959")])

    def check(world: World, answer: str) -> str:
        front = world.front
        signed_in = isinstance(front, AccountScreen) and front.extras.get("user") == user
        return "" if signed_in else f"{user} is not signed in."

    return Plan(
        f"Sign in to the app Login as {user} with the password {password}, and stay there.",
        check,
        [
            stage(open_app("Login")),
            stage(
                type_into("User name", user),
                type_into("Password", password),
                tap("Sign in"),
            ),
        ],
    )


def _signed_in(world: World) -> None:
    app(world, Login).account = "ada"


@BOOK.task("permission-allow")
def permission_allow(draw: Random) -> Plan:
    def check(world: World, answer: str) -> str:
        front = world.front
        if not world.permissions.granted(_LOGIN, CAMERA):
            return "The app may not use the camera."
        scans = isinstance(front, AccountScreen) and front.finder.shown
        return "" if scans else "It does not scan."

    return Plan(
        "Let the app Login scan a code: it may use the camera while it is in use. Stay there.",
        check,
        [stage(open_app("Login")), stage(tap("Scan a code")), stage(tap("While using the app"))],
        prepare=_signed_in,
        may_change=[f"permission {_LOGIN} {CAMERA}"],
    )


@BOOK.task("permission-deny")
def permission_deny(draw: Random) -> Plan:
    def check(world: World, answer: str) -> str:
        given = world.permissions.get(_LOGIN, CAMERA)
        if given.granted:
            return "The app may use the camera."
        return "" if given.user_set else "The app has not been refused the camera."

    return Plan(
        "Tap “Scan a code” in the app Login, and do not allow it to use the camera.",
        check,
        [stage(open_app("Login")), stage(tap("Scan a code")), stage(tap("Don’t allow"))],
        prepare=_signed_in,
    )


@BOOK.task("newsletter")
def newsletter(draw: Random) -> Plan:
    address = f"reader{draw.randrange(10, 100)}@example.com"

    def check(world: World, answer: str) -> str:
        words = f"{address} gets it on Sundays"
        shown = [
            node.text for window in world.windows() for node in window.root.walk() if node.text
        ]
        return "" if words in shown else f"The page does not say “{words}”."

    return Plan(
        f"In the browser, subscribe {address} to the newsletter of the news page, only on"
        " Sundays, and leave the page open. Pages load slowly.",
        check,
        [
            stage(open_app("Browser"), wait("Newsletter")),
            stage(tap("Newsletter"), wait("Subscribe")),
            stage(
                type_into("E-mail address", address),
                press("back"),
                tap("Only on Sundays"),
                tap("Subscribe"),
            ),
        ],
    )


@BOOK.task("contact-far-down")
def contact_far_down(draw: Random) -> Plan:
    who = contact(draw)

    def check(world: World, answer: str) -> str:
        front = world.front
        shown = isinstance(front, ContactScreen) and front.contact == who
        return "" if shown else f"The page of {who.name} is not shown."

    return Plan(
        f"Show the contact {who.name}.",
        check,
        [
            stage(open_app("Contacts"), type_into("Search contacts", who.name)),
            stage(tap(who.name)),
        ],
    )


@BOOK.task("landscape-note")
def landscape_note(draw: Random) -> Plan:
    title, body = code(draw), things(draw, 1)[0]

    def prepare(world: World) -> None:
        world.rotate(1)
        world.bring("dev.handheld.notes")

    return Plan(
        f"The phone lies on its side. Make a note with the title {title} and the text “{body}”.",
        noted((title, body)),
        [
            stage(tap("New note")),
            stage(type_into("Title", title), type_into("Write something", body), tap("Save")),
        ],
        prepare=prepare,
        may_change=["note *"],
    )


@BOOK.task("after-a-crash")
def after_a_crash(draw: Random) -> Plan:
    body = things(draw, 1)[0]

    def prepare(world: World) -> None:
        from handheld_virtual import JavaException

        notes = world.apps["dev.handheld.notes"]
        problem = JavaException("java.lang.IllegalStateException", "Restore failed", "Notes.open()")
        for _ in range(2):  # Android shows its dialog only for an app that crashes again
            world.bring(notes.package)
            world.running.crash(notes, problem)

    return Plan(
        f"Make a note with the title “Back again” and the text “{body}”. The app has just crashed:"
        " close the system's message first, if there is one.",
        noted(("Back again", body)),
        [
            stage(tap("Close app")),
            stage(open_app("Notes")),
            stage(tap("New note")),
            stage(
                type_into("Title", "Back again"), type_into("Write something", body), tap("Save")
            ),
        ],
        prepare=prepare,
        may_change=["note *"],
    )
