"""Which activities are open: a stack for each app, the front app's last."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..views.view import View
from .app import Activity, App

if TYPE_CHECKING:
    from ..world import World

HOME = "com.android.launcher3"


class Task:
    """The activities that an app began, the newest last: its own, and those that one of them has
    passed the start on to."""

    def __init__(self, first: Activity, id: int) -> None:
        self.app = first.app
        self.began = first.class_name
        """The class that it began with, which may be closed since."""
        self.id = id
        """Rises with every task and is never used again."""
        self.activities: list[Activity] = []


class Tasks:
    def __init__(self, world: "World") -> None:
        self._world = world
        self._tasks: list[Task] = []
        self._opened = 0

    def __iter__(self) -> Iterator[Task]:
        """The one in front last."""
        return iter(self._tasks)

    @property
    def front(self) -> Activity | None:
        """The activity on the screen; None only while the phone is being switched on."""
        return self._tasks[-1].activities[-1] if self._tasks else None

    @property
    def began(self) -> str | None:
        """The package that began the task in front."""
        return self._tasks[-1].app.package if self._tasks else None

    @property
    def home(self) -> Activity | None:
        """The launcher's first screen, once there is one."""
        return self.first(self._world.apps[HOME])

    @property
    def all(self) -> list[Activity]:
        """Every one that is open, those in front last."""
        return [activity for task in self._tasks for activity in task.activities]

    def first(self, app: App) -> Activity | None:
        """The root of the app's task, where it has one."""
        task = self._of(app)
        return task.activities[0] if task is not None else None

    def last(self, app: App) -> Activity | None:
        """The activity that would be on the screen if the app came to the front."""
        task = self._of(app)
        return task.activities[-1] if task is not None else None

    @property
    def recent(self) -> list[Activity]:
        """What a list of recent apps shows, the newest last."""
        return [task.activities[-1] for task in self._tasks if task.app.package != HOME]

    def _of(self, app: App) -> Task | None:
        return next((task for task in self._tasks if task.app is app), None)

    def _holding(self, activity: Activity) -> Task | None:
        return next((task for task in self._tasks if activity in task.activities), None)

    def bring(self, app: App) -> None:
        """The app as it was left, or its first activity."""
        task = self._of(app)
        if task is None:
            self.open(app.activities[app.main or ""](app))
        elif task is not self._tasks[-1]:
            self._tasks.remove(task)
            self._tasks.append(task)
            self._world.front_changed()

    def pass_on(self, activity: Activity, other: Activity) -> None:
        """The activity starts one of another app in its own task, and closes itself."""
        task = self._holding(activity)
        assert task is not None
        self._show(other)
        task.activities.append(other)
        self.finish(activity)
        self._world.front_changed()

    def open(self, activity: Activity) -> None:
        """Above the activities its app has open."""
        self._show(activity)
        task = self._of(activity.app)
        if task is None:
            self._opened += 1
            task = Task(activity, self._opened)
        else:
            self._tasks.remove(task)
        self._tasks.append(task)
        task.activities.append(activity)
        self._world.front_changed()

    def _show(self, activity: Activity) -> None:
        root = activity.root()
        activity.window = self._world.screen.new_window(
            "APPLICATION", activity.app.package, activity.title, root
        )
        activity.window.secure = activity.secure

    def finish(self, activity: Activity) -> None:
        """The one below it, or home, comes to the front."""
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
            self._world.front_changed()

    def close(self, app: App) -> None:
        """Every activity of an app, without showing what is below: another is about to come."""
        for task in self._tasks:
            task.activities = [one for one in task.activities if one.app is not app]
        self._tasks = [task for task in self._tasks if task.app is not app and task.activities]

    def back(self) -> None:
        front = self.front
        if front is None or front.app.package in self._world.frozen_packages:
            return
        if front.dialogs:
            self.close_dialog(front)
        elif front.back():
            return
        elif len(self._tasks[-1].activities) > 1 or (
            # Since Android 12 an app's first activity goes to the back and is not closed.
            not self._world.android.root_activity_kept_on_back and front.app.package != HOME
        ):
            self.finish(front)
        else:
            self._world.bring(HOME)

    def open_dialog(self, activity: Activity, title: str, root: View) -> None:
        window = self._world.screen.new_window("APPLICATION", activity.app.package, title, root)
        window.secure = activity.secure
        activity.dialogs.append(window)
        self._world.front_changed()

    def close_dialog(self, activity: Activity) -> None:
        if activity.dialogs:
            self._world.screen.close_window(activity.dialogs.pop())
            self._world.front_changed()
