"""The soft keyboard's window."""

from collections.abc import Callable

from ..views.drawing import theme
from ..views.layout import Column, Row
from ..views.view import MATCH, View
from ..views.widgets.basic import Button, IconButton

PACKAGE = "com.android.inputmethod.latin"
HEIGHT_DP = 232
HEIGHT_LYING_DP = 184
"""The height in landscape."""
LETTERS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
SIGNS = ("1234567890", "@#$_&-+()/", "*\"':;!?")


def height_dp(lying: bool) -> float:
    return HEIGHT_LYING_DP if lying else HEIGHT_DP


class Keyboard(Column):
    """The keyboard's view. `commit` receives text, `delete` deletes one character, `enter` is the
    action key."""

    __slots__ = ("_commit", "_delete", "_enter", "page", "shifted")

    def __init__(
        self,
        commit: Callable[[str], object],
        delete: Callable[[], object],
        enter: Callable[[], object],
    ) -> None:
        self._commit, self._delete, self._enter = commit, delete, enter
        self.shifted = False
        self.page = LETTERS
        super().__init__(
            id="keyboard_view",
            width=MATCH,
            height=MATCH,
            padding=(4, 8, 4, 8),
            gap=6,
            background=theme.SURFACE_HIGH,
        )
        self._build()

    def _build(self) -> None:
        def key(label: str) -> Button:
            return Button(
                label,
                lambda: self._type(label),
                size=20,
                face="Regular",
                color=theme.ON_SURFACE,
                background=theme.CARD,
                radius=6,
                padding=0,
                weight=1,
                width=0,
                height=MATCH,
                focusable=False,
            )

        def special(icon: str, description: str, action: Callable[[], object]) -> IconButton:
            return IconButton(
                icon,
                action,
                description=description,
                background=theme.PRIMARY_CONTAINER,
                radius=6,
                padding=(0, 10),
                weight=1.5,
                width=0,
                height=MATCH,
                focusable=False,
                color=theme.ON_SURFACE,
            )

        rows: list[View] = []
        for number, letters in enumerate(self.page):
            keys: list[View] = [key(c.upper() if self.shifted else c) for c in letters]
            if number == 2:
                keys.insert(0, special("shift", "Shift", self._shift))
                keys.append(special("delete", "Delete", self._delete))
            inset = 18 if len(letters) == 9 else 0
            rows.append(Row(*keys, gap=5, weight=1, height=0, width=MATCH, padding=(inset, 0)))
        signs = key("?123" if self.page is LETTERS else "ABC")
        signs.on_click = self._turn
        signs.size, signs.weight, signs.background = 14, 1.5, theme.PRIMARY_CONTAINER
        space = key(" ")
        space.weight, space.description = 5, "Space"
        rows.append(
            Row(
                signs,
                key(","),
                space,
                key("."),
                special("enter", "Enter", self._enter),
                gap=5,
                weight=1,
                height=0,
                width=MATCH,
            )
        )
        self.replace(*rows)

    def _type(self, label: str) -> None:
        self._commit(label)
        if self.shifted:
            self._shift()

    def _shift(self) -> None:
        self.shifted = not self.shifted
        self._build()

    def _turn(self) -> None:
        self.page = SIGNS if self.page is LETTERS else LETTERS
        self.shifted = False
        self._build()
