"""The formats of windows, activities, tasks, processes and the configuration in dumps."""

from ...packages.app import Activity
from ...packages.processes import FIRST_APP_UID, SYSTEM_SERVER, SYSTEM_UI
from ...packages.tasks import HOME, Task
from ...system.identity import identity
from ...system_ui.bars import NAVIGATION_DP, STATUS_DP, insets
from ...views.window import Window
from ...world import World

RULE = "-" * 79


class Records:
    """The records of one phone at one moment."""

    def __init__(self, world: World) -> None:
        world.settle()
        self.world, self.android = world, world.android
        self.tasks = list(world.tasks)
        self.shown = [*world.windows(), *world.screen.windows_elsewhere()]
        self._activities = {
            window.id: (activity, task)
            for task in self.tasks
            for activity in task.activities
            for window in (activity.window, *activity.dialogs)
            if window is not None
        }

    # Windows

    def windows(self) -> list[Window]:
        """All windows, top first, including those of covered activities."""
        hidden = [
            window
            for task in reversed(self.tasks)
            for activity in reversed(task.activities)
            for window in (*reversed(activity.dialogs), activity.window)
            if window is not None and window not in self.shown
        ]
        return [*self.shown, *hidden]

    def owner(self, window: Window) -> tuple[Activity, Task] | None:
        return self._activities.get(window.id)

    def title(self, window: Window) -> str:
        world = self.world
        if owner := self.owner(window):
            return self.component(owner[0], short=False)
        for dialog in world.system_dialogs.shown:
            if dialog.window is window:
                return f"{window.package}/{dialog.component}" if dialog.over else window.title or ""
        if window.type == "INPUT_METHOD":
            return "InputMethod"
        shade = "NotificationShade" if self.android.notification_shade_window else "StatusBar"
        names = {
            "Status bar": "StatusBar",
            "Navigation bar": "NavigationBar0"
            if self.android.navigation_bar_numbered
            else "NavigationBar",
            "Notification shade": shade,
            "Divider": "DockedStackDivider",
        }
        if window is world.keyguard.window:
            return shade
        return names.get(window.title or "", window.title or window.package)

    def window(self, window: Window | None) -> str:
        if window is None:
            return "null"
        number = identity("window", window.id)
        owner = self.owner(window)
        user = owner[0].app.user if owner else 0
        return f"Window{{{number} u{user} {self.title(window)}}}"

    @property
    def focused(self) -> Window | None:
        """The focused window; None during a transition."""
        window = self.world.focused_window
        if window is None or self.world.quirks.focus_elsewhere:
            return None
        late = self.world.timers.now() < window.opened + self.world.transition_ms
        return None if late else window

    # Activities

    @staticmethod
    def component(activity: Activity, short: bool = True) -> str:
        package = activity.app.package
        name = activity.class_name
        if short and name.startswith(package + "."):
            name = name.removeprefix(package)
        return f"{package}/{name}"

    def activity(self, activity: Activity, task: Task) -> str:
        window = activity.window
        number = identity("activity", window.id if window is not None else 0)
        if self.android.activity_record_decimal:
            number = str(int(number, 16))
        close = "}" if self.android.activity_record_brace else ""  # Android 13 closes it twice
        user = activity.app.user
        return f"ActivityRecord{{{number} u{user} {self.component(activity)}{close} t{task.id}}}"

    def app_token(self, activity: Activity, task: Task) -> str:
        """The activity's token in the window manager."""
        return self._token(self.activity(activity, task))

    def _token(self, record: str) -> str:
        if self.android.window_hierarchy:
            return record
        outer, inner = identity("app token", record), identity("token", record)
        return f"AppWindowToken{{{outer} token=Token{{{inner} {record}}}}}"

    @property
    def front(self) -> tuple[Activity, Task]:
        task = self.tasks[-1]
        return task.activities[-1], task

    @property
    def front_record(self) -> str:
        """The record of the activity that receives input, which may be a permission dialog."""
        activity, task = self.front
        dialog = self.world.system_dialogs.top
        if dialog is None or not self.is_asked:
            return self.activity(activity, task)
        package, name = dialog.window.package, dialog.component
        short = name.removeprefix(package) if name.startswith(package + ".") else name
        number = identity("activity", dialog.window.id)
        number = str(int(number, 16)) if self.android.activity_record_decimal else number
        close = "}" if self.android.activity_record_brace else ""
        return f"ActivityRecord{{{number} u0 {package}/{short}{close} t{task.id}}}"

    @property
    def is_asked(self) -> bool:
        """Whether a permission dialog covers the activity in front."""
        dialog = self.world.system_dialogs.top
        return dialog is not None and dialog.over is not None

    @property
    def front_token(self) -> str:
        """The token of that activity in the window manager."""
        return self._token(self.front_record)

    def is_resumed(self, activity: Activity) -> bool:
        """Whether the activity is in front, and the phone awake and unlocked."""
        world = self.world
        return activity is self.front[0] and world.awake and not world.locked

    def is_shown(self, activity: Activity) -> bool:
        return any(window is activity.window for window in self.shown)

    # Tasks and processes

    def affinity(self, task: Task) -> str:
        package = task.app.package
        return (
            f"{self.world.running.uid(task.app)}:{package}"
            if self.android.task_affinity_uid
            else package
        )

    def task(self, task: Task, brief: bool = False) -> str:
        kind = "home" if task.app.package == HOME else "standard"
        number = identity("task", task.id)
        size = len(task.activities)
        if not self.android.window_hierarchy:
            name = f"A={self.affinity(task)} U=0 StackId={task.id} sz={size}"
            return f"TaskRecord{{{number} #{task.id} {name}}}"
        component = self.component(task.activities[0])
        name = f"I={component}" if kind == "home" else f"A={self.affinity(task)}"
        if brief:
            return f"Task{{{number} #{task.id} type={kind} {name}}}"
        shown = str(any(self.is_shown(activity) for activity in task.activities)).lower()
        if not self.android.root_tasks:
            return (
                f"Task{{{number} #{task.id} visible={shown} type={kind} mode=fullscreen "
                f"translucent=false {name} U=0 StackId={task.id} sz={size}}}"
            )
        return (
            f"Task{{{number} #{task.id} type={kind} {name} U=0 visible={shown} "
            f"visibleRequested={shown} mode=fullscreen translucent=false sz={size}}}"
        )

    def uid(self, package: str) -> int:
        app = self.world.apps.get(package)
        if app is not None:
            return self.world.running.uid(app)
        return SYSTEM_UI.uid if package == SYSTEM_UI.name else SYSTEM_SERVER.uid

    def pid(self, package: str) -> int:
        """The package's pid; that of system_server if it has no process."""
        return next(iter(self.world.running.pids(package)), SYSTEM_SERVER.pid)

    @staticmethod
    def user(uid: int) -> str:
        return f"u0a{uid - FIRST_APP_UID}" if uid >= FIRST_APP_UID else str(uid)

    def process(self, package: str) -> str:
        pids = self.world.running.pids(package)
        if not pids:
            return "null"
        number = identity("process", pids[0])
        return f"ProcessRecord{{{number} {pids[0]}:{package}/{self.user(self.uid(package))}}}"

    # The configuration

    @property
    def app_box(self) -> tuple[int, int, int, int]:
        """The area for apps, without the navigation bar."""
        world = self.world
        bar = round(NAVIGATION_DP * world.density / 160)
        before, after, below = insets(world.rotation, bar)
        return before, 0, world.width - after, world.height - below

    @property
    def sizes_dp(self) -> tuple[int, int, int]:
        """The smallest width, the width and the height of the screen for apps."""
        dp = self.world.density / 160
        left, top, right, bottom = self.app_box
        # The configuration's size does not include the status bar.
        across, down = int((right - left) / dp), int((bottom - top) / dp - STATUS_DP)
        return int(min(self.world.width, self.world.height) / dp), across, down

    @property
    def configuration(self) -> str:
        world = self.world
        left, top, right, bottom = self.app_box
        smallest, across, down = self.sizes_dp
        way = "land" if world.width > world.height else "port"
        night = " night" if world.display.night else ""
        scale = world.preferences.get("system", "font_scale") or "1.0"
        rotation = f"ROTATION_{world.rotation * 90}"
        bounds = f"mBounds=Rect(0, 0 - {world.width}, {world.height})"
        bounds += f" mAppBounds=Rect({left}, {top} - {right}, {bottom})"
        if self.android.configuration_max_bounds:
            bounds += f" mMaxBounds=Rect(0, 0 - {world.width}, {world.height})"
        if self.android.configuration_display_rotation:
            bounds += f" mDisplayRotation={rotation}"
        bounds += " mWindowingMode=fullscreen"
        if self.android.configuration_display_windowing:
            bounds += " mDisplayWindowingMode=fullscreen"
        bounds += " mActivityType=undefined"
        if self.android.configuration_display:
            bounds += f" mAlwaysOnTop=undefined mRotation={rotation}"
        windows = f"winConfig={{ {bounds}}}"
        if not self.android.window_configuration:
            windows = f"appBounds=Rect({left}, {top} - {right}, {bottom})"
        network = "0" if self.android.configuration_mnc_zero else "?"
        weight = " fontWeightAdjustment=0" if self.android.configuration_font_weight else ""
        return (
            f"{{{scale} ?mcc{network}mnc [en_US] ldltr sw{smallest}dp w{across}dp h{down}dp "
            f"{world.density}dpi nrml long {way}{night} finger -keyb/v/h -nav/h "
            f"{windows} s.1{weight}}}"
        )


def box(edges: tuple[int, int, int, int]) -> str:
    return f"[{edges[0]},{edges[1]}][{edges[2]},{edges[3]}]"


def rect(edges: tuple[int, int, int, int]) -> str:
    return f"Rect({edges[0]}, {edges[1]} - {edges[2]}, {edges[3]})"


def flag(value: object) -> str:
    return "true" if value else "false"
