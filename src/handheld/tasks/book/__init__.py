"""The tasks, one module for each category."""

from collections.abc import Mapping

from ..task import Task
from . import one_app, retrieval, several_apps, traps, verification

_BOOKS = (one_app.BOOK, several_apps.BOOK, retrieval.BOOK, verification.BOOK, traps.BOOK)

TASKS: Mapping[str, Task] = {task.name: task for book in _BOOKS for task in book.tasks}
assert len(TASKS) == sum(len(book.tasks) for book in _BOOKS), "two tasks have one name"
