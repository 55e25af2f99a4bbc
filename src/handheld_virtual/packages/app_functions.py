"""App functions: their declarations, which of them are enabled, and their calls.

This is Android's indexer and its service in one. The service's commands differ between builds of
the same release: a scene selects `generation` A to E.
"""

from typing import TYPE_CHECKING, Any

from handheld.app_formats.app_functions import (
    AppFunctions,
    Document,
    FunctionError,
    FunctionFailed,
    Later,
)
from handheld.app_formats.app_functions.words import RUNTIME, STATIC, Enabled

from .intent import enabled_apps
from .service import FunctionService

if TYPE_CHECKING:
    from ..world import World
    from .app import App

GENERATIONS = ("A", "B", "C", "D", "E")
"""A: no commands. B: calls. C: also lists. D: prints whole results. E: reports what is enabled."""


class AppFunctionManager:
    def __init__(self, world: "World") -> None:
        self._world = world
        self.generation = "E" if world.android.app_function_is_enabled else "D"
        self.states: dict[tuple[str, str], Enabled] = {}
        """The states set at run time, by package and function."""
        self.denied = False
        """Whether the shell lacks the permission to call functions."""
        self.policy = ""
        """The administrator's reason for forbidding calls."""

    def listed(self, only: str | None = None) -> dict[str, list[dict[str, Any]]]:
        """The documents of each app as the search returns them: each function with its state."""
        found: dict[str, list[dict[str, Any]]] = {}
        for app in enabled_apps(self._world):
            for functions in _offered(app):
                for kind, document in functions.documents(app.package):
                    if only in (None, app.package):
                        joined = self._joined(app.package, kind, document)
                        found.setdefault(app.package, []).append(joined)
        return found

    def _joined(self, package: str, kind: str, document: dict[str, Any]) -> dict[str, Any]:
        if not kind.startswith(STATIC):
            return {kind: document}
        id = document["functionId"][0]
        runtime = f"{RUNTIME}-{package}"
        state = {
            "functionId": [id],
            "packageName": [package],
            "enabled": [int(self.states.get((package, id), Enabled.DEFAULT))],
            "appFunctionStaticMetadataQualifiedId": [
                f"android$apps-db/app_functions#{package}/{id}"
            ],
        }
        # Android nests a joined document once more under its type.
        return {kind: document, runtime: {runtime: state}}

    def is_enabled(self, package: str, id: str) -> bool:
        """Whether a function is enabled. Raises FunctionFailed."""
        functions = self._find(package, id)[1]
        state = self.states.get((package, id), Enabled.DEFAULT)
        return functions.is_enabled(id) if state is Enabled.DEFAULT else state is Enabled.ON

    def set_enabled(self, package: str, id: str, state: Enabled) -> None:
        """Set whether a function is enabled. Raises FunctionFailed."""
        self._find(package, id)
        self.states[package, id] = state

    def execute(self, package: str, id: str, parameters: Document) -> Document | Later:
        """Call a function. Raises FunctionFailed."""
        if self.policy:
            raise FunctionFailed(self.policy, FunctionError.POLICY)
        if self.denied:
            raise FunctionFailed(
                "Caller does not have permission to execute the appfunction", FunctionError.DENIED
            )
        if not self.is_enabled(package, id):
            raise FunctionFailed("The app function is disabled", FunctionError.DISABLED)
        app, functions = self._find(package, id)
        self._world.running.ensure(app, f"service {{{package}/{FunctionService.__name__}}}")
        self._world.record("function", package, id)
        if package in self._world.frozen_packages:
            return Later(float("inf"))
        return functions.execute(id, parameters)

    def _find(self, package: str, id: str) -> "tuple[App, AppFunctions]":
        for app in enabled_apps(self._world):
            for functions in _offered(app):
                if app.package == package and id in functions.ids:
                    return app, functions
        raise FunctionFailed(
            f"Document with document id {package}/{id} not found", FunctionError.NOT_FOUND
        )


def _offered(app: "App") -> list[AppFunctions]:
    if stub := app.world.stubs.get(app.package):
        return list(stub.functions)
    return [one.functions for one in app.started_services if isinstance(one, FunctionService)]
