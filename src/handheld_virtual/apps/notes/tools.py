"""The app tools of the notes app: capabilities with parameters of every type."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from handheld.app_formats.mobile_mcp import (
    CapabilityFailed,
    CapabilityService,
    Outcome,
    parse_descriptor,
)

from ...packages.service import ToolService
from .note import Note

if TYPE_CHECKING:
    from .app import Notes

DESCRIPTOR = """<?xml version="1.0" encoding="utf-8"?>
<mobile-mcp-capabilities version="1.0">
  <capability id="add_note" version="1" description="Add a note.">
    <input>
      <param name="title" type="string" required="true" description="The note's title" />
      <param name="body" type="string" required="false" description="What it says" />
      <param name="tags" type="list" required="false" description="Words put under it with #" />
      <param name="at_top" type="boolean" required="false"
          description="Whether it is listed first; otherwise last" />
    </input>
    <output><param name="number" type="int" description="The new note's number" /></output>
  </capability>
  <capability id="find_notes" version="1" description="List the notes that hold a text.">
    <input>
      <param name="text" type="string" required="false" description="The text; none: all notes" />
      <param name="most" type="int" required="false" description="How many at most" />
      <param name="share" type="double" required="false"
          description="Of each note this share of its text, from 0 to 1" />
    </input>
    <output>
      <param name="notes" type="array" description="Number, title and text of each" />
    </output>
  </capability>
  <capability id="change_note" version="2" description="Change a note's title or text.">
    <input>
      <param name="number" type="long" required="true" description="Which note" />
      <param name="changes" type="map" required="true"
          description="What to change: title, body, or both" />
    </input>
  </capability>
  <capability id="delete_note" version="1" description="Delete a note.">
    <input>
      <param name="number" type="integer" required="true" description="Which note" />
      <param name="title" type="title" required="true"
          description="Its title, so that no other is deleted" />
    </input>
  </capability>
</mobile-mcp-capabilities>
"""


class NoteService(ToolService):
    name = ".NoteService"
    tool_name = "Notes"
    tool_description = "Adds, finds, changes and deletes the owner's notes."
    descriptor = DESCRIPTOR

    def offer(self) -> CapabilityService:
        app = cast("Notes", self.app)
        service = CapabilityService(parse_descriptor(DESCRIPTOR))

        @service.capability("add_note")
        def _(arguments: Mapping[str, Any]) -> Outcome:
            tags = "".join(f"\n#{tag}" for tag in arguments.get("tags", []))
            note = Note(arguments["title"], arguments.get("body", "") + tags)
            # The screen lists the last note first.
            place = len(app.notes) if arguments.get("at_top", True) else 0
            app.notes.insert(place, note)
            app.notes_changed()
            return Outcome({"number": place + 1}, f"Added: {note.title}")

        @service.capability("find_notes")
        def _(arguments: Mapping[str, Any]) -> Outcome:
            words = arguments.get("text", "").casefold()
            share = arguments.get("share", 1)
            if not 0 <= share <= 1:
                raise CapabilityFailed("share is from 0 to 1.")
            found = [
                {
                    "number": number,
                    "title": note.title,
                    "body": note.body[: round(len(note.body) * share)],
                }
                for number, note in enumerate(app.notes, 1)
                if words in note.title.casefold() or words in note.body.casefold()
            ]
            return Outcome({"notes": found[: arguments.get("most", len(found))]})

        @service.capability("change_note")
        def _(arguments: Mapping[str, Any]) -> Outcome:
            note = _note(app, arguments["number"])
            changes = arguments["changes"]
            if not changes or not changes.keys() <= {"title", "body"}:
                raise CapabilityFailed("changes holds title, body, or both.")
            note.title = str(changes.get("title", note.title))
            note.body = str(changes.get("body", note.body))
            app.notes_changed()
            return Outcome(None, f"Changed: {note.title}")

        @service.capability("delete_note")
        def _(arguments: Mapping[str, Any]) -> Outcome:
            note = _note(app, arguments["number"])
            if note.title != arguments["title"]:
                raise CapabilityFailed(f"Note {arguments['number']} has the title {note.title!r}.")
            del app.notes[arguments["number"] - 1]
            app.notes_changed()
            return Outcome(None, f"Deleted: {note.title}")

        return service


def _note(app: "Notes", number: int) -> Note:
    if not 1 <= number <= len(app.notes):
        raise CapabilityFailed(f"There is no note {number}; there are {len(app.notes)}.")
    return app.notes[number - 1]
