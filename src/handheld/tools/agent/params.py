"""The parameters of the tools for models."""

from typing import Annotated, Literal

from ..parameter import Param
from ..recording import Secret

LONGEST_WAIT = 50.0
"""Seconds. Clients give up after 60."""

Find = Annotated[str | None, Param("only rows with this text", secret=Secret.NO)]
LookWithin = Annotated[str | None, Param("only inside this ref", secret=Secret.NO)]
Since = Annotated[
    str | None, Param("a screen id (s41): only what changed since then", secret=Secret.NO)
]
WithPicture = Annotated[
    Literal["clean", "marked"] | None, Param("add a screenshot; marked shows the refs")
]
Everything = Annotated[bool | None, Param("also rows off screen, whole texts, positions")]
MaxTokens = Annotated[int | None, Param("limit of the answer", 1, 1_000_000)]
Where = Annotated[
    str,
    Param(
        'ref (k4), visible text, "540,1200", or a point in picture p3: "p3:120,340"',
        secret=Secret.NO,
    ),
]
Within = Annotated[
    str | None,
    Param("when several match: a ref or text of its row, list or dialog", secret=Secret.NO),
]
Hold = Annotated[bool | None, Param("long press")]
ScrollTo = Annotated[bool | None, Param("scroll to the text if it is not visible")]
Direction = Annotated[
    Literal["down", "up", "left", "right"] | None,
    Param("default down, further into the content"),
]
ScrollWithin = Annotated[str | None, Param("ref or text; else the largest list", secret=Secret.NO)]
Screens = Annotated[float | None, Param("default 0.8; 99 is to the end", 0.05, 99)]
Until = Annotated[str | None, Param("stop when this text is visible", secret=Secret.NO)]
Times = Annotated[int | None, Param("2 is a double tap", 1, 20)]
KeyTimes = Annotated[int | None, Param("", 1, 50, schema={"description": None})]
SwipeStart = Annotated[str, Param("where it starts, as in phone_tap", secret=Secret.NO)]
SwipeEnd = Annotated[str | None, Param("where it ends", secret=Secret.NO)]
DragHold = Annotated[bool | None, Param("long press first: drag and drop")]
Milliseconds = Annotated[int | None, Param("default 300", 50, 10_000)]
Zoom = Annotated[float | None, Param("pinch instead: 2 zooms in, 0.5 out", 0.1, 10)]
TypedText = Annotated[str, Param("", secret=Secret.TYPED, schema={"description": None})]
Into = Annotated[str | None, Param("ref or label; else the focused field", secret=Secret.NO)]
Mode = Annotated[
    Literal["replace", "append", "insert"] | None,
    Param("replace (default) clears first; insert is at the cursor"),
]
Submit = Annotated[bool | None, Param("press enter after it")]
Key = Annotated[str, Param("", secret=Secret.NO, schema={"description": None})]
Opened = Annotated[str, Param("app, https://…, geo:…, or settings:wifi", secret=Secret.NO)]
OpenedBy = Annotated[str | None, Param("app that opens the link", secret=Secret.NO)]
AwaitedText = Annotated[str | None, Param("", secret=Secret.NO, schema={"description": None})]
AwaitedNotification = Annotated[str | None, Param("text in it", secret=Secret.NO)]
Gone = Annotated[bool | None, Param("", schema={"description": None})]
Seconds = Annotated[float | None, Param(f"default 10, at most {LONGEST_WAIT:.0f}", 0, LONGEST_WAIT)]
