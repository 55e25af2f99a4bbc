"""Tasks of one's own: `handheld tasks run --book examples/my_tasks.py --policy oracle`."""

from random import Random

from handheld.tasks.task import Book, Plan, open_app, stage, tap, type_into
from handheld_virtual import World
from handheld_virtual.apps import Notes

BOOK = Book("one app")


@BOOK.task("two-notes")
def two_notes(draw: Random) -> Plan:
    first, second = draw.sample(["Tea", "Salt", "Rice", "Jam"], 2)

    def check(world: World, answer: str) -> str:
        notes = world.apps["dev.handheld.notes"]
        assert isinstance(notes, Notes)
        titles = sorted(note.title for note in notes.notes)
        return "" if titles == sorted([first, second]) else f"The notes are {titles}."

    return Plan(
        sentence=f"Make two notes: one with the title {first}, one with the title {second}.",
        check=check,
        oracle=[
            stage(open_app("Notes")),
            *(
                step
                for title in (first, second)
                for step in (stage(tap("New note")), stage(type_into("Title", title), tap("Save")))
            ),
        ],
        scene="office",
        may_change=["note *"],
    )
