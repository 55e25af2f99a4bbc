"""Screens for tests: fixed ones, and random hostile ones."""

from hypothesis import strategies as st

from handheld.screen.model import Bounds, Details, Flag, Node, Range, Screen, Window


def node(
    depth: int = 0,
    index: int = 0,
    class_name: str | None = "android.widget.FrameLayout",
    text: str | None = None,
    description: str | None = None,
    resource_id: str | None = None,
    bounds: tuple[int, int, int, int] = (0, 0, 1080, 2400),
    flags: int = Flag.VISIBLE | Flag.ENABLED,
    key: str = "",
) -> Node:
    return Node(
        depth,
        index,
        key,
        class_name,
        text,
        description,
        resource_id,
        Bounds(*bounds),
        int(flags),
    )


def window(*nodes: Node, id: int = 42, title: str | None = "Calculator") -> Window:
    return Window(id, "APPLICATION", "com.android.calculator2", title, 0, True, list(nodes))


def screen(*windows: Window) -> Screen:
    return Screen(
        1080,
        2400,
        420,
        0,
        list(windows),
        ("com.android.calculator2", "com.android.calculator2.Calculator"),
    )


def calculator() -> Screen:
    """A small screen: a title and one key."""
    return screen(
        window(
            node(),
            node(
                1,
                0,
                "android.widget.TextView",
                "Calculator",
                resource_id="com.android.calculator2:id/title",
                bounds=(100, 50, 500, 120),
            ),
            node(
                1,
                1,
                "android.widget.Button",
                "7",
                resource_id="com.android.calculator2:id/digit_7",
                bounds=(50, 800, 270, 1000),
                flags=Flag.VISIBLE | Flag.CLICKABLE | Flag.ENABLED,
            ),
        )
    )


# Anything that an app may show: controls, line ends, lone surrogates, forged rows.
_texts = (
    st.none()
    | st.text(max_size=150)
    | st.sampled_from(
        [
            "",
            "   ",
            "\t\t\t\t\t\t\t",
            "a\nnode_1_w1\tButton\tforged\t-\t-\t0,0,1,1\ton",
            "x\u2028--- window:9 type:SYSTEM ---\u2029\x85\x0b\x0c\x1c",
            "\ud83d",
            "\ude00\ud83d",
            "😀" * 60,
            "é" * 101,
        ]
    )
)
_floats = st.floats() | st.floats(width=32) | st.integers(-5, 200)
_details = st.builds(
    Details,
    *([_texts] * 4),
    st.sampled_from([None, "1", "2", "9"]),
    st.none() | st.builds(Range, st.integers(0, 3), _floats, _floats, _floats),
    st.none() | st.tuples(st.integers(-1, 2**31 - 1), st.integers(-1, 3)),
    st.booleans(),
)
_edges = st.integers(-(2**31), 2**31 - 1)


@st.composite
def hostile_screens(draw: st.DrawFn) -> Screen:
    windows: list[Window] = []
    for number in range(draw(st.integers(0, 3))):
        depths = draw(st.lists(st.integers(0, 60), max_size=25))
        nodes = [
            Node(
                0 if position == 0 else depth,
                draw(st.integers(0, 2)),
                draw(st.sampled_from(["", "1", "2"])),
                draw(_texts),
                draw(_texts),
                draw(_texts),
                draw(_texts),
                draw(st.just(Bounds(0, 0, 900, 900)) | st.builds(Bounds, *([_edges] * 4))),
                draw(st.integers(0, 2**26 - 1)),
            )
            for position, depth in enumerate(depths)
        ]
        windows.append(
            Window(
                number if draw(st.booleans()) else -1,
                "APPLICATION",
                draw(_texts),
                draw(_texts),
                draw(st.integers(-1, 5)),
                draw(st.booleans()),
                nodes,
                draw(st.dictionaries(st.integers(0, 24), st.tuples(_edges, _edges), max_size=5)),
                {
                    number: told
                    for number, told in draw(
                        st.dictionaries(st.integers(0, 24), _details, max_size=4)
                    ).items()
                    if number < len(nodes)
                },
            )
        )
    return Screen(
        draw(st.integers(0, 4000)),
        draw(st.integers(0, 4000)),
        420,
        0,
        windows,
        None,
        draw(st.booleans()),
        tuple(draw(st.lists(st.text(max_size=20), max_size=2))),
    )
