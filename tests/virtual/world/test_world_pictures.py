"""Screenshots match the view tree."""

import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageStat

from handheld_virtual.views.drawing import theme
from handheld_virtual.views.text.lines import ellipsise, width, wrap
from handheld_virtual.world import World
from harness.polling import HANG
from testbed import show, show_scene

from .finger import Finger


def pixel(picture: Image.Image, x: float, y: float) -> tuple[int, ...]:
    found = picture.getpixel((round(x), round(y)))
    assert isinstance(found, tuple)
    return found


def colors(picture: Image.Image) -> int:
    found = picture.getcolors(1 << 24)
    assert found is not None
    return len(found)


def test_a_button_has_its_colour_where_its_bounds_are(world: World, finger: Finger):
    world.launch("com.android.calculator2")
    picture = world.picture()
    assert (picture.size, picture.mode) == ((1080, 2400), "RGB")
    for name, color in (
        ("eq", theme.PRIMARY),
        ("op_add", theme.PRIMARY_CONTAINER),
        ("digit_5", theme.SURFACE_HIGH),
        ("clr", theme.TERTIARY_CONTAINER),
    ):
        left, top, right, bottom = finger.find(name).bounds
        x, y = (left + right) // 2, top + (bottom - top) // 6
        assert picture.getpixel((x, y)) == color
        # The background is visible outside the round corner.
        assert picture.getpixel((left, top)) == theme.SURFACE


@pytest.mark.slow
def test_text_is_drawn_inside_its_bounds_and_changes_with_it(world: World, finger: Finger):
    world.launch("com.android.calculator2")
    box = finger.find("formula").bounds
    empty = world.picture().crop(box)
    assert empty.getcolors() == [(empty.width * empty.height, theme.SURFACE)]
    finger.tap("digit_8")
    one = world.picture().crop(box)
    assert colors(one) > 1
    finger.tap("digit_8", "digit_8")
    assert world.picture().crop(box).tobytes() != one.tobytes()


def test_an_unchanged_screen_gives_the_same_picture(world: World):
    world.launch("com.android.settings")
    assert world.picture(700).tobytes() == world.picture(700).tobytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "size"),
    [
        (None, (1080, 2400)),
        (700, (315, 700)),
        (5000, (1080, 2400)),
        (1, (1, 1)),
        (2400, (1080, 2400)),
    ],
)
def test_a_picture_is_as_large_as_asked_and_never_larger_than_the_screen(
    world: World, limit: int | None, size: tuple[int, int]
):
    assert world.picture(limit).size == size


@pytest.mark.slow
@pytest.mark.parametrize(
    "screen", ["com.android.calculator2", "com.android.settings", "dev.handheld.form"]
)
def test_pictures_at_two_scales_agree(world: World, screen: str):
    show(world, screen)
    small = world.picture(700)
    large = world.picture().resize(small.size, Image.Resampling.BOX)
    difference = ImageStat.Stat(ImageChops.difference(small, large)).mean
    assert max(difference) < 3, difference


def test_switch_is_drawn_as_on(world: World, finger: Finger):
    world.launch("com.android.settings")
    finger.tap("Battery")
    left, top, right, bottom = finger.find("switch_widget").bounds
    place = (left + (right - left) // 4, (top + bottom) // 2 - (bottom - top) // 3)
    assert world.picture().getpixel(place) != theme.PRIMARY
    finger.tap("main_switch_bar")
    assert world.picture().getpixel(place) == theme.PRIMARY


def test_a_secure_window_is_black_and_named(world: World, finger: Finger):
    world.launch("com.android.calculator2")
    assert world.screen.secure_windows == []
    world.secure_packages.add("com.android.calculator2")
    assert world.screen.secure_windows == ["Calculator"]
    assert world.picture().getpixel((540, 1200)) == theme.BLACK
    world.press("home")
    assert world.screen.secure_windows == []
    assert world.picture().getpixel((540, 1200)) != theme.BLACK


def test_screen_that_is_off_is_black(world: World):
    world.awake = False
    assert world.picture(100).getcolors() == [(45 * 100, theme.BLACK)]


def test_dialog_dims_the_screen_below(world: World, finger: Finger):
    show_scene(world, "mixed")
    before = pixel(world.picture(700), 10, 500)
    finger.tap("ask")
    after = pixel(world.picture(700), 10, 500)
    assert all(abs(a - b * 0.6) <= 2 for a, b in zip(after, before, strict=True))
    left, _, right, bottom = world.automation.read_windows()[2].nodes[0].bounds
    assert pixel(world.picture(), (left + right) / 2, bottom - 20) == theme.SURFACE_HIGH


def test_partly_scrolled_row_is_clipped_at_the_list(world: World, finger: Finger):
    world.launch("com.android.settings")
    bar = finger.find("search_bar").bounds
    before = world.picture().crop((0, 0, 1080, bar.bottom)).tobytes()
    finger.drag(500, 1800, 1690)
    assert world.picture().crop((0, 0, 1080, bar.bottom)).tobytes() == before


@pytest.mark.matrix
def test_hostile_texts_are_drawn_without_harm(world: World, finger: Finger):
    show_scene(world, "hostile")
    texts = [n.text for n in finger.nodes() if "text_" in (n.resource_id or "")]
    assert "x" * 50_000 in texts
    for size in (None, 700, 50):
        assert colors(world.picture(size)) > 3


@given(st.text(st.characters(), max_size=60))
def test_any_text_can_be_typed_read_and_drawn(text: str):
    world = World()
    show_scene(world, "mixed")
    field = next(
        n
        for w in world.automation.read_windows()
        for n in w.nodes
        if (n.resource_id or "").endswith("/field")
    )
    world.automation.perform(field.key, "focus")
    world.type_text(text)
    node = world.automation.node(field.key)
    assert node is not None
    assert node.text == (text.replace("\r", "\ufeff").replace("\n", " ") or "Hint")
    assert world.picture(400).size == (180, 400)


@given(st.text(max_size=80), st.floats(0, 500), st.integers(1, 4))
@example("\r0000", 39.0, 2)
def test_lines_fit_their_width_unless_a_letter_does_not(text: str, room: float, most: int):
    lines = wrap(text, 20, "Regular", room, most)
    assert len(lines) <= most
    for line in lines:
        assert width(line, 20, "Regular") <= room + 0.01 or len(line) <= 2


@given(st.text(max_size=80), st.floats(0, 500))
def test_ellipsised_text_fits_and_is_whole_when_it_can_be(text: str, room: float):
    short = ellipsise(text, 20, "Regular", room)
    assert width(short, 20, "Regular") <= room + 0.01
    if width(text, 20, "Regular") <= room:
        assert short == text


def test_character_without_a_font_takes_the_space_of_a_box():
    assert width("\x00\ud800", 20, "Regular") == 24


@pytest.mark.slow
def test_pillow_is_not_loaded_before_the_first_screenshot():
    code = (
        "import sys; from handheld_virtual.world import World; w = World();"
        "w.launch('com.android.calculator2'); w.automation.read_windows();"
        "w.touch('down', 0, 5, 5);"
        "assert 'PIL' not in sys.modules; w.picture(100); assert 'PIL' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=HANG)
