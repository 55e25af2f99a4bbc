"""The open activities: a task for each app, the task in front last."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..views.view import View
from .app import Activity, App

if TYPE_CHECKING:
    from ..world import World

HOME = "com.android.launcher3"


class NotInstalled(Exception):
    """The package is not installed."""


class NotLaunchable(Exception):
    """The package is installed but has no activity for the launcher."""


class Task:
    """The activities of an app's task, the newest last. They can include activities of other apps
    that replaced one of the app's."""

    def __init__(self, first: Activity, id: int) -> None:
        self.app = first.app
        self.began = first.class_name
        """The class of its first activity, which may already be closed."""
        self.id = id
        """The task id, which increases with every task and is never reused."""
        self.activities: list[Activity] = []


class Tasks:
    def __init__(self, world: "World") -> None:
        self._world = world
        self._tasks: list[Task] = []
        self._opened = 0
        self._before: Activity | None = None
        """The activity that was in front before."""
        self.foreground: tuple[str, str] | None = None
        """Package and class of the activity in front."""

    def __iter__(self) -> Iterator[Task]:
        """The tasks; the one in front is last."""
        return iter(self._tasks)

    @property
    def front(self) -> Activity | None:
        """The activity in front; None only while the phone boots."""
        return self._tasks[-1].activities[-1] if self._tasks else None

    @property
    def began(self) -> str | None:
        """The package of the task in front."""
        return self._tasks[-1].app.package if self._tasks else None

    @property
    def home(self) -> Activity | None:
        """The launcher's first screen, once it is open."""
        return self.first(self._world.apps[HOME])

    @property
    def all(self) -> list[Activity]:
        """All open activities; the one in front is last."""
        return [activity for task in self._tasks for activity in task.activities]

    def first(self, app: App) -> Activity | None:
        """The root activity of the app's task, if the app has one."""
        task = self._of(app)
        return task.activities[0] if task is not None else None

    def last(self, app: App) -> Activity | None:
        """The activity that would be on the screen if the app came to the front."""
        task = self._of(app)
        return task.activities[-1] if task is not None else None

    @property
    def recent(self) -> list[Activity]:
        """The activities that the list of recent apps shows, the newest last."""
        return [task.activities[-1] for task in self._tasks if task.app.package != HOME]

    def _of(self, app: App) -> Task | None:
        return next((task for task in self._tasks if task.app is app), None)

    def _holding(self, activity: Activity) -> Task | None:
        return next((task for task in self._tasks if activity in task.activities), None)

    def bring(self, app: App) -> None:
        """Bring the app's task to the front, or open its first activity."""
        task = self._of(app)
        if task is None:
            self.open(app.activities[app.main or ""](app))
        elif task is not self._tasks[-1]:
            self._tasks.remove(task)
            self._tasks.append(task)
            self.front_changed()

    def pass_on(self, activity: Activity, other: Activity) -> None:
        """Start an activity of another app in the same task, and close this one."""
        task = self._holding(activity)
        assert task is not None
        self._show(other)
        task.activities.append(other)
        self.finish(activity)
        self.front_changed()

    def open(self, activity: Activity) -> None:
        """Open an activity above the others of its app."""
        self._show(activity)
        task = self._of(activity.app)
        if task is None:
            self._opened += 1
            task = Task(activity, self._opened)
        else:
            self._tasks.remove(task)
        self._tasks.append(task)
        task.activities.append(activity)
        self.front_changed()

    def _show(self, activity: Activity) -> None:
        root = activity.root()
        activity.window = self._world.screen.new_window(
            "APPLICATION", activity.app.package, activity.title, root
        )
        activity.window.secure = activity.secure

    def finish(self, activity: Activity) -> None:
        """Close an activity; the one below it, or the home screen, comes to the front."""
        task = self._holding(activity)
        if task is None:
            return
        was_front = activity is self.front
        task.activities.remove(activity)
        for window in (activity.window, *activity.dialogs):
            if window is not None:
                self._world.screen.close_window(window)
        if not task.activities:
            self._tasks.remove(task)
        if not was_front:
            return
        front = self.front
        if front is None or (not task.activities and front.app.package != HOME):
            self._world.bring(HOME)
        else:
            self.front_changed()

    def close(self, app: App) -> None:
        """Close all activities of an app without showing the one below, because another opens
        next."""
        for task in self._tasks:
            task.activities = [activity for activity in task.activities if activity.app is not app]
        self._tasks = [task for task in self._tasks if task.app is not app and task.activities]

    def clear(self) -> None:
        """Forget every task, as a restart does."""
        self._tasks, self._before = [], None

    def front_changed(self) -> None:
        """Notify the previous and the new activity in front, and cancel touches and typing."""
        world, front = self._world, self.front
        assert front is not None
        before, self._before = self._before, front
        if before is not front and before is not None:
            before.left()
            if before.app is not front.app:
                world.permissions.app_left(world, before.app.package)
        world.running.activity_resumed(front)
        asked = world.system_dialogs.top
        # The permission dialog is a separate activity in the app's task.
        self.foreground = (
            (asked.window.package, asked.component)
            if asked is not None and asked.over is not None
            else (front.app.package, front.class_name)
        )
        world.windows_changed()
        world.windows()  # lays out the window, even if nothing reads the screen in between
        if before is not front:
            front.resumed()  # last, because it may open another activity

    def back(self) -> None:
        front = self.front
        if front is None or front.app.package in self._world.frozen_packages:
            return
        if front.dialogs:
            self.close_dialog(front)
        elif front.back():
            return
        elif len(self._tasks[-1].activities) > 1 or (
            # Since Android 12, a root activity moves to the back instead of closing.
            not self._world.android.root_activity_kept_on_back and front.app.package != HOME
        ):
            self.finish(front)
        else:
            self._world.bring(HOME)

    def open_dialog(
        self, activity: Activity, title: str, root: View, anchor: View | None = None
    ) -> None:
        """Open a dialog, or a popup below the anchor."""
        window = self._world.screen.new_window("APPLICATION", activity.app.package, title, root)
        window.secure = activity.secure
        window.anchor = anchor
        activity.dialogs.append(window)
        self.front_changed()

    def close_dialog(self, activity: Activity) -> None:
        if activity.dialogs:
            self._world.screen.close_window(activity.dialogs.pop())
            self.front_changed()
