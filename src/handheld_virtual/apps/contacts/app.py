"""Contacts: a recycled list of a thousand contacts, with an alphabet index, a search, and detail
pages."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Unpack

from ...packages.app import Activity, App
from ...system.personal import Contact
from ...views.drawing import theme
from ...views.drawing.pen import Pen
from ...views.layout import Column, Frame, Row, Scroll
from ...views.options import Options
from ...views.text import lines
from ...views.text.fonts import LINE_HEIGHT
from ...views.view import MATCH, View
from ...views.widgets.basic import Button, Image, Text
from ...views.widgets.field import Field
from ...views.widgets.parts import Avatar, Empty, ListRow, Toolbar
from ...views.widgets.recycler import RecycledList
from ..messages.app import Messages
from ..messages.conversation import Conversation
from .people import IN_NUMBERS, PACKAGE, known_contacts, plain

if TYPE_CHECKING:
    pass


def _matches(contact: Contact, words: str) -> bool:
    if words in plain(contact.name):
        return True
    digits = words.translate(IN_NUMBERS)
    return digits.lstrip("+").isdecimal() and digits in contact.number.translate(IN_NUMBERS)


class FastScroll(View):
    """The alphabet along the right edge: touching a letter scrolls to it."""

    draggable = True
    __slots__ = ("letters", "on_letter")

    def __init__(
        self, letters: Sequence[str], on_letter: Callable[[str], object], **options: Unpack[Options]
    ) -> None:
        self.letters, self.on_letter = letters, on_letter
        options["on_touch"] = self._touched
        super().__init__(**options)

    def takes_drag(self, across: bool) -> bool:
        return not across

    def _touched(self, action: str, _: int, x: float, y: float) -> None:
        _, top, _, bottom = self.place
        if self.letters and action in ("down", "move") and bottom > top:
            number = int((y - top) * len(self.letters) / (bottom - top))
            self.on_letter(self.letters[max(0, min(number, len(self.letters) - 1))])

    def draw(self, pen: Pen, dp: float) -> None:
        left, top, right, bottom = self.place
        if not self.letters:
            return
        step = (bottom - top) / len(self.letters)
        size = min(11 * dp, step / LINE_HEIGHT)
        for number, letter in enumerate(self.letters):
            x = left + (right - left - lines.width(letter, size, "Medium")) / 2
            y = top + number * step + (step - size * LINE_HEIGHT) / 2
            pen.text(x, y, letter, size, "Medium", theme.ON_SURFACE_DIM, self.place)


class ContactList(Activity):
    name = ".activities.PeopleActivity"

    def content(self) -> View:
        self.found: Sequence[Contact] = known_contacts(self.world)
        self.search = Field(
            hint="Search contacts",
            id="search_view",
            weight=1,
            width=0,
            padding=(12, 12),
            outlined=False,
            on_type=lambda _: self._filter(),
            on_enter=self.world.input_method.hide,
        )
        self.list = RecycledList(
            count=len(self.found),
            row_height=64,
            make=self._make,
            bind=self._bind,
            id="android:id/list",
            width=MATCH,
            height=MATCH,
        )
        letters = sorted({plain(contact.name)[0].upper() for contact in self.found})
        self.letters = FastScroll(
            letters,
            self._jump,
            id="fast_scroller",
            description="Fast scroll",
            width=28,
            height=MATCH,
            gravity="right",
        )
        self.empty = Empty("contacts", "No contacts found", shown=False)
        self.count = Text(
            "", size=14, id="contact_count", color=theme.ON_SURFACE_DIM, padding=(24, 8)
        )
        self._show_count()
        return Column(
            Row(
                Image("search", width=20, height=20),
                self.search,
                content_gravity="center left",
                id="search_bar",
                width=MATCH,
                margin=(16, 12, 16, 4),
                padding=(18, 2),
                background=theme.SURFACE_HIGH,
                radius=28,
            ),
            self.count,
            Frame(self.list, self.letters, self.empty, width=MATCH, height=0, weight=1),
            background=theme.SURFACE,
        )

    def _show_count(self) -> None:
        number = len(self.found)
        self.count.text = "1 contact" if number == 1 else f"{number:,} contacts"

    def _filter(self) -> None:
        words = plain(self.search.content.strip())
        everybody = known_contacts(self.world)
        self.found = [contact for contact in everybody if _matches(contact, words)]
        self.list.offset = 0
        self.list.refresh(len(self.found))
        self.letters.shown = not words
        self.list.shown, self.empty.shown = bool(self.found), not self.found
        self._show_count()

    def _jump(self, letter: str) -> None:
        position = bisect_left(self.found, letter.casefold(), key=lambda c: plain(c.name))
        pixels = position * round(self.list.row_height * self.world.density / 160)
        self.list.scroll_by(pixels - self.list.offset)

    def _make(self) -> View:
        row = ListRow(
            "",
            " ",
            before=Avatar(id="photo"),
            title_id="cliv_name_textview",
            summary_id="cliv_data_view",
            clickable=True,
            padding=(20, 0, 36, 0),
        )
        row.id = "cliv_row"
        return row

    def _bind(self, row: View, position: int) -> None:
        assert isinstance(row, ListRow)
        contact = self.found[position]
        photo = row.children[0]
        assert isinstance(photo, Avatar)
        photo.letter = contact.name[0]
        row.title.text, row.summary.text = contact.name, contact.number
        row.on_click = lambda: self.open(ContactScreen(self.app, {"name": contact.name}))


class ContactScreen(Activity):
    """The detail page of the contact `name`."""

    name = ".quickcontact.QuickContactActivity"

    @property
    def contact(self) -> Contact | None:
        wanted = self.extras.get("name")
        everybody = known_contacts(self.world)
        return next((contact for contact in everybody if contact.name == wanted), None)

    def content(self) -> View:
        contact = self.contact
        bar = Toolbar("", on_back=self.finish)
        if contact is None:
            return Column(bar, Empty("contacts", "This contact isn’t there any more"))
        return Column(
            bar,
            Scroll(
                Column(
                    Avatar(
                        letter=contact.name[0],
                        id="photo",
                        width=112,
                        height=112,
                        radius=56,
                        gravity="center",
                    ),
                    Text(contact.name, size=28, align="center", width=MATCH, id="large_title"),
                    Button(
                        "Message", lambda: self._message(contact), id="verb_text", gravity="center"
                    ),
                    Column(
                        ListRow(
                            contact.number,
                            contact.kind,
                            before=Image("phone"),
                            title_id="header",
                            summary_id="sub_header",
                        ),
                        ListRow(
                            contact.email,
                            "Email",
                            before=Image("message"),
                            title_id="header",
                            summary_id="sub_header",
                        ),
                        width=MATCH,
                        padding=(4, 8),
                        background=theme.SURFACE_HIGH,
                        radius=20,
                        id="communication_card",
                    ),
                    gap=20,
                    padding=(20, 8, 20, 24),
                    width=MATCH,
                ),
                id="multiscroller",
                width=MATCH,
                height=0,
                weight=1,
            ),
            background=theme.SURFACE,
        )

    def _message(self, contact: Contact) -> None:
        app = self.world.apps.get(Messages.package)
        if app is not None:
            self.open(Conversation(app, {"address": contact.number}))


class ContactsApp(App):
    package, label = PACKAGE, "Contacts"
    version, version_code, system = "1.7.33", 10733, True
    screens = (ContactList, ContactScreen)
    icon, color = "contacts", (52, 120, 246)
