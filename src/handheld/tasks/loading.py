"""Loads tasks from a user's file."""

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path

from .book import TASKS
from .task import BadTask, Book, Task


def tasks_of(file: str) -> Mapping[str, Task]:
    """The tasks that a Python file declares; without a file, the built-in ones. The file is
    executed as a module. Raises BadTask."""
    if not file:
        return TASKS
    path = Path(file).resolve()
    if not path.is_file():
        raise BadTask(f"{file}: there is no such file.")
    name = f"handheld_tasks_{abs(hash(str(path))):x}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadTask(f"{file}: not a Python file; its name has to end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up their module here
    try:
        spec.loader.exec_module(module)
    except Exception as problem:
        raise BadTask(f"{file}: {type(problem).__name__}: {problem}") from problem
    books = [value for value in vars(module).values() if isinstance(value, Book)]
    tasks = [task for book in books for task in book.tasks]
    if not tasks:
        raise BadTask(f"{file}: no Book in it has a task.")
    found = {task.name: task for task in tasks}
    if len(found) != len(tasks):
        raise BadTask(f"{file}: two tasks have one name.")
    return found
