"""Colours, after Material's light baseline with a blue key."""

Color = tuple[int, int, int]

PRIMARY: Color = (11, 87, 208)
ON_PRIMARY: Color = (255, 255, 255)
PRIMARY_CONTAINER: Color = (211, 227, 253)
ON_PRIMARY_CONTAINER: Color = (4, 30, 73)
SECONDARY_CONTAINER: Color = (227, 229, 236)
TERTIARY_CONTAINER: Color = (196, 238, 208)
ON_TERTIARY_CONTAINER: Color = (7, 39, 17)
SURFACE: Color = (248, 250, 253)
SURFACE_HIGH: Color = (233, 238, 246)
CARD: Color = (255, 255, 255)
ON_SURFACE: Color = (31, 31, 31)
ON_SURFACE_DIM: Color = (88, 91, 97)
OUTLINE: Color = (116, 119, 125)
DIVIDER: Color = (218, 220, 226)
DISABLED: Color = (166, 168, 173)
ERROR: Color = (179, 38, 30)
WHITE: Color = (255, 255, 255)
BLACK: Color = (0, 0, 0)


def mix(one: Color, other: Color, share: float) -> Color:
    """`share` of the other colour in the one."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue
