"""Loading apps that users wrote, from Python files."""

import importlib.util
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType

from .app import App

_PACKAGE = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+", re.ASCII)


class BadApp(Exception):
    """The file contains no installable app; the message says what to fix."""


def load_app(spec: str) -> type[App]:
    """Load the app from `FILE.py`, or from `FILE.py:ClassName` if the file has several. Executes
    the file as a module."""
    name, colon, wanted = spec.rpartition(":")
    if not colon or not wanted.isidentifier() or not name.endswith(".py"):
        name, wanted = spec, ""
    path = Path(name)
    if not path.is_file():
        raise BadApp(f"{name}: there is no such file")
    return check_app(_choose(_run(path), wanted, name), name)


def _run(path: Path) -> ModuleType:
    # Named after its whole path: two files with the same name are two modules.
    module_name = f"handheld_app_{abs(hash(str(path.resolve()))):x}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise BadApp(f"{path}: not a Python file; the name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as fault:
        del sys.modules[module_name]
        line = _line_of(fault, path)
        where = f"{path}, line {line}" if line else str(path)
        raise BadApp(f"{where}: {type(fault).__name__}: {fault}") from fault
    return module


def _line_of(fault: Exception, path: Path) -> int | None:
    if isinstance(fault, SyntaxError):
        return fault.lineno
    frames = [f for f in traceback.extract_tb(fault.__traceback__) if f.filename == str(path)]
    return frames[-1].lineno if frames else None


def _choose(module: ModuleType, wanted: str, name: str) -> type[App]:
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, App) and value is not App
    ]
    own = [kind for kind in found if kind.__module__ == module.__name__]
    if wanted:
        for kind in found:
            if kind.__name__ == wanted:
                return kind
        raise BadApp(f"{name}: no app is called {wanted}. {_named(own)}")
    if len(own) != 1:
        advice = f"name one of them: {name}:{own[0].__name__}" if own else "derive one from App"
        raise BadApp(f"{name}: {_named(own)} Please {advice}.")
    return own[0]


def _named(apps: list[type[App]]) -> str:
    names = ", ".join(kind.__name__ for kind in apps)
    return f"The apps there are {names}." if apps else "There is no app in it."


def check_app(kind: type[App], name: str = "") -> type[App]:
    """Return the class; raise BadApp if the package manager could not install it."""
    where = f"{name}: {kind.__name__}" if name else kind.__name__
    for attribute in ("package", "label"):
        value = getattr(kind, attribute, None)
        if not isinstance(value, str) or not value:
            raise BadApp(f"{where} needs a {attribute}, such as {_EXAMPLES[attribute]}")
    if not _PACKAGE.fullmatch(kind.package):
        raise BadApp(f"{where}: {kind.package!r} is not a package name, such as org.example.hello")
    if kind.main is not None and kind.main not in kind.activities:
        names = ", ".join(kind.activities) or "none"
        raise BadApp(f"{where}: its main activity {kind.main} is not among its screens ({names})")
    return kind


_EXAMPLES = {"package": 'package = "org.example.hello"', "label": 'label = "Hello"'}
