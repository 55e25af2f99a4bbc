"""Notes: a list with a search field, and an editor that saves when the user leaves it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from handheld.app_formats.apk.manifest import Filter

from ...packages.app import LAUNCHED, Activity, App
from ...packages.chooser import SHARED, TEXT
from ...views.drawing import theme
from ...views.layout import Column, Frame, Row, Scroll
from ...views.view import MATCH, View
from ...views.widgets.basic import Button, IconButton, Text
from ...views.widgets.field import Field
from .note import Note
from .tools import NoteService

if TYPE_CHECKING:
    from ...world import World


class NoteList(Activity):
    name = ".NoteList"

    def content(self) -> View:
        self.search = Field(
            hint="Search notes",
            id="search",
            width=MATCH,
            on_type=lambda _: self.fill(),
            # The Search key only hides the keyboard, because the results are already shown.
            on_enter=self.world.input_method.hide,
        )
        self.rows = Column(id="notes", width=MATCH, gap=8)
        self.fill()
        return Column(
            Text("Notes", size=28, id="title", padding=(0, 20, 0, 4)),
            self.search,
            Frame(
                Scroll(self.rows, id="scroll", width=MATCH, height=MATCH),
                Button("New note", self.add, id="new_note", gravity="right bottom", margin=8),
                width=MATCH,
                height=0,
                weight=1,
            ),
            gap=12,
            padding=(20, 0, 20, 8),
            background=theme.SURFACE,
        )

    def fill(self) -> None:
        """Show the notes that match the search, the newest first."""
        words = self.search.content.casefold()
        found = [
            note
            for note in reversed(self.notes)
            if words in note.title.casefold() or words in note.body.casefold()
        ]
        empty = Text("No notes", id="empty", color=theme.ON_SURFACE_DIM, padding=(4, 16))
        self.rows.replace(*(map(self._row, found) if found else (empty,)))

    def _row(self, note: Note) -> View:
        return Column(
            Text(note.title or "Untitled", face="Medium", id="note_title", most_lines=1),
            Text(note.body, size=14, id="note_body", most_lines=2, color=theme.ON_SURFACE_DIM),
            id="note",
            width=MATCH,
            gap=4,
            padding=16,
            background=theme.CARD,
            radius=12,
            on_click=lambda: self.open(NoteEditor(self.app, note, self)),
        )

    def add(self) -> None:
        self.open(NoteEditor(self.app, Note(), self))

    @property
    def notes(self) -> list[Note]:
        assert isinstance(self.app, Notes)
        return self.app.notes


class NoteEditor(Activity):
    name = ".NoteEditor"

    def __init__(
        self,
        app: App,
        note: Note | Mapping[str, str] | None = None,
        list: NoteList | None = None,
    ) -> None:
        super().__init__(app)
        if not isinstance(note, Note):
            note = Note(body=(note or {}).get(TEXT, ""))
        self.note = note
        self.list = list

    def content(self) -> View:
        self.heading = Field(
            self.note.title, hint="Title", id="note_title", width=MATCH, size=22, outlined=False
        )
        self.body = Field(
            self.note.body,
            hint="Write something",
            id="note_body",
            width=MATCH,
            height=0,
            weight=1,
            single_line=False,
            outlined=False,
        )
        return Column(
            Row(
                IconButton("arrow_back", self.leave, description="Back", id="back"),
                View(weight=1, width=0),
                Button("Save", self.leave, id="save"),
                width=MATCH,
                padding=(8, 8, 16, 0),
                content_gravity="center left",
            ),
            self.heading,
            self.body,
            background=theme.SURFACE,
        )

    def back(self) -> bool:
        self.leave()
        return True

    def leave(self) -> None:
        """Save the note unless it is empty."""
        assert isinstance(self.app, Notes)
        notes = self.app.notes
        self.note.title, self.note.body = self.heading.content, self.body.content
        kept = any(note is self.note for note in notes)
        if (self.note.title or self.note.body) and not kept:
            notes.append(self.note)
        elif kept and not (self.note.title or self.note.body):
            notes[:] = [note for note in notes if note is not self.note]
        if self.list is not None:
            self.list.fill()
        self.finish()


class Notes(App):
    package, label = "dev.handheld.notes", "Notes"
    main = ".NoteList"
    activities: ClassVar[Mapping[str, type[Activity]]] = {
        ".NoteList": NoteList,
        ".NoteEditor": NoteEditor,
    }
    filters: ClassVar[Mapping[str, tuple[Filter, ...]]] = {
        ".NoteList": (LAUNCHED,),
        ".NoteEditor": (SHARED,),
    }
    services = (NoteService,)
    icon, color = "edit", (205, 140, 20)

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        self.notes: list[Note] = []

    def notes_changed(self) -> None:
        """Refresh the list after a change from outside the screen."""
        front = self.world.front
        if isinstance(front, NoteList):
            front.fill()
