"""Material's baseline colours with a blue key colour, for the light and the dark theme."""

from typing import Self

Color = tuple[int, int, int]


class Role(tuple[int, int, int]):
    """A colour of the light theme with its dark counterpart; the pen chooses between them."""

    night: Color

    def __new__(cls, day: Color, night: Color) -> Self:
        role = super().__new__(cls, day)
        role.night = night
        return role


PRIMARY: Color = Role((11, 87, 208), (168, 199, 250))
ON_PRIMARY: Color = Role((255, 255, 255), (6, 46, 111))
PRIMARY_CONTAINER: Color = Role((211, 227, 253), (8, 66, 160))
ON_PRIMARY_CONTAINER: Color = Role((4, 30, 73), (211, 227, 253))
SECONDARY_CONTAINER: Color = Role((227, 229, 236), (62, 66, 74))
TERTIARY_CONTAINER: Color = Role((196, 238, 208), (15, 82, 35))
ON_TERTIARY_CONTAINER: Color = Role((7, 39, 17), (196, 238, 208))
ACCENT: Color = Role((168, 199, 250), (168, 199, 250))
ON_ACCENT: Color = Role((4, 30, 73), (4, 30, 73))
SURFACE: Color = Role((248, 250, 253), (19, 19, 20))
SURFACE_HIGH: Color = Role((233, 238, 246), (40, 42, 44))
CARD: Color = Role((255, 255, 255), (30, 31, 32))
SHADE: Color = Role((221, 226, 237), (11, 12, 14))
"""The background of the notification panel."""
ON_SURFACE: Color = Role((31, 31, 31), (227, 227, 227))
ON_SURFACE_DIM: Color = Role((88, 91, 97), (184, 188, 194))
OUTLINE: Color = Role((116, 119, 125), (142, 145, 143))
DIVIDER: Color = Role((218, 220, 226), (68, 71, 70))
DISABLED: Color = Role((166, 168, 173), (102, 105, 109))
ERROR: Color = Role((179, 38, 30), (242, 184, 181))
WALLPAPER: tuple[Color, Color] = (
    Role((34, 62, 118), (16, 29, 58)),
    Role((168, 124, 152), (84, 60, 80)),
)
"""The wallpaper's colours at the top and the bottom."""
WHITE: Color = (255, 255, 255)
BLACK: Color = (0, 0, 0)


def at_night(color: Color) -> Color:
    return color.night if isinstance(color, Role) else color


def mix(color: Color, other: Color, share: float) -> Color:
    """Mix `share` of the other colour into this one, in both themes."""
    day = _mix(color, other, share)
    if isinstance(color, Role) or isinstance(other, Role):
        return Role(day, _mix(at_night(color), at_night(other), share))
    return day


def _mix(color: Color, other: Color, share: float) -> Color:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(color, other, strict=True))
    return red, green, blue
