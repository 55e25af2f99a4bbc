"""The tasks, by category; one app has two modules."""

from collections.abc import Mapping

from ..task import Task
from . import one_app, retrieval, several_apps, system_apps, traps, verification

_BOOKS = [
    part.BOOK for part in (system_apps, one_app, several_apps, retrieval, verification, traps)
]

TASKS: Mapping[str, Task] = {task.name: task for book in _BOOKS for task in book.tasks}
assert len(TASKS) == sum(len(book.tasks) for book in _BOOKS), "two tasks have one name"
