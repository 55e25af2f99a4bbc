"""Draw docs/phone.png: the virtual phone as a person sees it, and as an agent sees it."""

import io
from itertools import count
from pathlib import Path

from PIL import Image, ImageDraw

from handheld.screen.model import Screen
from handheld.screen.picture import draw_marks
from handheld.screen.rows.marks import mark_refs
from handheld.screen.rows.screen import rows_of
from handheld_virtual import ManualClock, World

TARGET = Path(__file__).resolve().parent.parent / "docs" / "phone.png"
HEIGHT = 700
GAP = 28


def framed(picture: Image.Image) -> Image.Image:
    """Return the picture with rounded corners, on white."""
    mask = Image.new("L", picture.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, *picture.size), 22, fill=255)
    frame = Image.new("RGB", picture.size, "white")
    frame.paste(picture, (0, 0), mask)
    return frame


def annotated(world: World) -> Image.Image:
    screen = Screen(world.width, world.height, world.density, 0, world.automation.read_windows())
    plain, refs = io.BytesIO(), count(1)
    world.picture(HEIGHT).save(plain, "PNG")
    rows = rows_of(screen, lambda place: f"k{next(refs)}")
    marked = draw_marks(plain.getvalue(), lambda size: mark_refs(screen, rows, size))
    return Image.open(io.BytesIO(marked))


def press_buttons(world: World, *names: str) -> None:
    for name in names:
        [key] = [
            node.key
            for window in world.automation.read_windows()
            for node in window.nodes
            if node.resource_id == f"com.android.calculator2:id/{name}"
        ]
        world.automation.perform(key, "click")


def main() -> None:
    world = World(clock=ManualClock())
    world.notify("dev.handheld.notes", "Shopping", "Milk, bread and a dozen eggs")
    pictures = [world.picture(HEIGHT)]
    world.press("notifications")
    pictures.append(world.picture(HEIGHT))
    world.press("back")
    world.launch("dev.handheld.gallery")
    pictures.append(world.picture(HEIGHT))
    world.launch("com.android.calculator2")
    press_buttons(world, "digit_7", "op_mul", "digit_6")
    pictures += [world.picture(HEIGHT), annotated(world)]
    width = sum(picture.width + GAP for picture in pictures) + GAP
    sheet = Image.new("RGB", (width, HEIGHT + 2 * GAP), "white")
    left = GAP
    for picture in pictures:
        sheet.paste(framed(picture), (left, GAP))
        left += picture.width + GAP
    sheet.save(TARGET, optimize=True)


if __name__ == "__main__":
    main()
