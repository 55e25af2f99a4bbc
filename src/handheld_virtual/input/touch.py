"""Touch dispatch: hit tests, clicks, long presses, double taps, drags and flings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..system.timers import Timer, Timers
from ..views.drawing.pen import Box
from ..views.view import View
from ..views.window import Window

LONG_PRESS_MS = 500
DOUBLE_TAP_MS = 300
SLOP_DP = 8
STOPPED_MS = 40
"""A finger that does not move for this time has stopped."""
VELOCITY_MS = 100
"""The recent part of the path that determines a fling."""
SHORTEST_MS = 10
"""The minimum duration of a path with a speed; a finger cannot draw a shorter one."""
FASTEST_FLING_DP = 8000
"""The maximum speed of a finger, per second."""


@dataclass(slots=True)
class _Finger:
    window: Window
    target: View | None
    x: float
    y: float
    dragged: View | None = None
    across: bool = False
    """Whether the drag is horizontal."""
    done: bool = False
    """Whether it has no further effect: after a long press, off the view, or as a second finger."""
    second: bool = False
    """Whether it is the second tap of a double tap."""
    timer: Timer | None = None
    path: list[tuple[float, float, float]] = field(default_factory=list[tuple[float, float, float]])
    """Time, x and y."""
    last: float = 0
    """How far the dragged view has followed the finger, along its axis."""


def target_at(view: View, x: float, y: float, clip: Box) -> View | None:
    """Return the view that takes a touch at the point, in Android's order: children before their
    parent, the last drawn first, each only within its parent's bounds."""
    left, top, right, bottom = view.place
    box = (max(left, clip[0]), max(top, clip[1]), min(right, clip[2]), min(bottom, clip[3]))
    if not (box[0] <= x < box[2] and box[1] <= y < box[3]):
        return None
    for child in reversed(view.drawn):
        if child.shown:
            found = target_at(child, x, y, box)
            if found is not None:
                return found
    return view if view.takes_touch else None


class Touch:
    """All fingers on the screen. `windows` returns the touchable windows, top first."""

    def __init__(self, timers: Timers, windows: Callable[[], Sequence[Window]]) -> None:
        self._timers = timers
        self._windows = windows
        self._fingers: dict[int, _Finger] = {}
        self._last_tap: tuple[View, float] | None = None

    @property
    def down(self) -> list[int]:
        """The pointers on the screen."""
        return list(self._fingers)

    def put(self, pointer: int, x: float, y: float) -> None:
        if pointer in self._fingers:
            self.cancel(pointer)
        for window in self._windows():
            left, top, right, bottom = window.box
            if left <= x < right and top <= y < bottom:
                break
        else:
            return
        window.layout()
        target = target_at(window.root, x, y, window.box)
        finger = _Finger(window, target, x, y)
        finger.path.append((self._timers.now(), x, y))
        for other in self._fingers.values():
            if target is not None and other.target is target:
                finger.done = True
                # A view with `on_touch` handles two fingers itself, so the first no longer scrolls
                # or clicks.
                other.done = other.done or target.on_touch is not None
        self._fingers[pointer] = finger
        if target is None or not target.enabled:
            return
        if target.on_touch is not None:
            target.on_touch("down", pointer, x, y)
        if finger.done:
            return
        if target.on_double_tap is not None and self._last_tap is not None:
            view, when = self._last_tap
            if view is target and self._timers.now() - when <= DOUBLE_TAP_MS:
                finger.second = True
                target.on_double_tap()
        if target.long_clickable:
            finger.timer = self._timers.after(LONG_PRESS_MS, lambda: self._press_long(finger))

    def move(self, pointer: int, x: float, y: float) -> None:
        finger = self._fingers.get(pointer)
        if finger is None:
            return
        target = finger.target
        if target is not None and target.on_touch is not None and target.enabled:
            target.on_touch("move", pointer, x, y)
        now = self._timers.now()
        finger.path.append((now, x, y))
        if len(finger.path) > 200:
            del finger.path[:100]
        slop = SLOP_DP * finger.window.dp
        if finger.dragged is None and not finger.done:
            across = abs(x - finger.x) > abs(y - finger.y)
            away = x - finger.x if across else y - finger.y
            dragged = self._dragged(finger, across) if abs(away) > slop else None
            if dragged is not None:
                finger.dragged, finger.across = dragged, across
                start = finger.x if across else finger.y
                finger.last = start + (slop if away > 0 else -slop)
                self._let_go(finger)
            elif target is not None and not _near(target.place, x, y, slop):
                finger.done = True
                self._let_go(finger)
        if finger.dragged is not None:
            pixels = round((x if finger.across else y) - finger.last)
            finger.last += pixels
            finger.dragged.drag_by(pixels)
            finger.window.layout()

    def _dragged(self, finger: _Finger, across: bool) -> View | None:
        """Return the nearest view that can be dragged; each view follows only one finger."""
        taken = [other.dragged for other in self._fingers.values()]
        views = () if finger.target is None else finger.target.ancestors()
        return next((v for v in views if v.takes_drag(across) and v not in taken), None)

    def lift(self, pointer: int, x: float, y: float) -> None:
        finger = self._fingers.get(pointer)
        if finger is None:
            return
        if (x, y) != (finger.x, finger.y) or len(finger.path) > 1:
            self.move(pointer, x, y)
        self._fingers.pop(pointer, None)
        self._let_go(finger)
        target = finger.target
        if target is not None and target.on_touch is not None and target.enabled:
            target.on_touch("up", pointer, x, y)
        if finger.dragged is not None:
            finger.dragged.drag_end(_speed(finger), finger.window.dp)
        elif not finger.done and target is not None and finger.window.holds(target):
            # A third tap starts a new sequence.
            self._last_tap = None if finger.second else (target, self._timers.now())
            target.click()

    def cancel(self, pointer: int) -> None:
        finger = self._fingers.pop(pointer, None)
        if finger is None:
            return
        self._let_go(finger)
        if finger.dragged is not None:
            finger.dragged.drag_cancel()
        target = finger.target
        if target is not None and target.on_touch is not None and target.enabled:
            target.on_touch("cancel", pointer, finger.x, finger.y)

    def cancel_all(self) -> None:
        for pointer in self.down:
            self.cancel(pointer)

    def _press_long(self, finger: _Finger) -> None:
        target = finger.target
        if not finger.done and target is not None and finger.window.holds(target):
            finger.done = target.long_click()

    def _let_go(self, finger: _Finger) -> None:
        if finger.timer is not None:
            finger.timer.cancel()


def _speed(finger: _Finger) -> float:
    """Return the speed along the drag at its end, in pixels per second. As in Android's
    VelocityTracker, it comes from a parabola through the recent places, without the place where the
    finger is lifted. A finger that rested before has no speed."""
    *moves, lifted = finger.path
    axis = 1 if finger.across else 2
    recent: list[tuple[float, float]] = []
    following = lifted[0]
    for point in reversed(moves):
        if following - point[0] > STOPPED_MS or moves[-1][0] - point[0] > VELOCITY_MS:
            break
        following = point[0]
        recent.append((point[0] - moves[-1][0], point[axis]))
    if len(recent) < 2 or recent[0][0] - recent[-1][0] < SHORTEST_MS:
        return 0
    fastest = FASTEST_FLING_DP * finger.window.dp
    return max(-fastest, min(_slope(recent) * 1000, fastest))


def _slope(points: list[tuple[float, float]]) -> float:
    """Return the slope at time 0 of the least-squares parabola, which for two points is a line."""
    times = [time for time, _ in points]
    mean = sum(times) / len(times)
    place = sum(at for _, at in points) / len(points)
    squares = sum(time * time for time in times) / len(times)
    a = sum((time - mean) ** 2 for time in times)
    b = sum((time - mean) * (time * time - squares) for time in times)
    c = sum((time * time - squares) ** 2 for time in times)
    d = sum((time - mean) * (at - place) for time, at in points)
    e = sum((time * time - squares) * (at - place) for time, at in points)
    determinant = a * c - b * b
    if len(points) < 3 or determinant < 1e-9 * a * c:
        return d / a if a else 0.0
    return (d * c - b * e) / determinant


def _near(box: Box, x: float, y: float, slop: float) -> bool:
    return box[0] - slop <= x < box[2] + slop and box[1] - slop <= y < box[3] + slop
