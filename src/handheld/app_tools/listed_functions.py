"""Android's list of app functions on one phone, cached between reads."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..app_formats.app_functions import BadFunctions, read_functions
from ..driver import Driver
from ..driver.app_tools import DeclaringApp
from ..driver.packages import PACKAGE
from ..errors import ToolError
from .discovered import DiscoveredTool, digest_of, words

if TYPE_CHECKING:
    from ..app_formats.app_functions import DeclaredFunctions
    from .functions import ReadFunctions

MOST_APPS = 200
"""Apps with functions on one phone."""
PART = "app functions"
"""In an app's pin: its declarations to Android. No component has this name."""

log = logging.getLogger("handheld")


@dataclass(frozen=True, slots=True)
class NothingRead:
    """Stands for an app without functions."""

    tools: tuple[DiscoveredTool, ...] = ()
    problems: tuple[str, ...] = ()
    off: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FunctionsOfPhone:
    """The functions of all apps on a phone. Most phones have none, and nothing more is read
    then."""

    listable: bool | None = None
    """Whether the phone's Android lists them; None if it has not answered yet."""
    printed: str = ""
    declared: "Mapping[str, DeclaredFunctions]" = field(
        default_factory=dict[str, "DeclaredFunctions"], compare=False
    )
    apps: Mapping[str, DeclaringApp] = field(default_factory=dict[str, DeclaringApp])

    async def renew(self, driver: Driver, *, anew: bool) -> "FunctionsOfPhone":
        """The current functions. With `anew`, apps may have changed and are asked again. A phone
        that cannot be asked now keeps its functions, but only those of apps whose signer is
        known."""
        kept = replace(self, apps={}) if anew else self
        try:
            return await self._renew(driver, kept)
        except ToolError as problem:
            log.debug("App functions: %s", words(problem.message, 500))
            return kept

    async def _renew(self, driver: Driver, kept: "FunctionsOfPhone") -> "FunctionsOfPhone":
        listed = await driver.app_functions()
        if not listed.listable:
            return FunctionsOfPhone(False)
        declared = self.declared
        if listed.printed != self.printed or not self.listable:
            try:
                declared = read_functions(listed.printed)
            except BadFunctions as problem:
                log.debug("App functions: what the phone lists %s.", problem)
                return replace(kept, listable=True)
        wanted = sorted(
            package
            for package, one in declared.items()
            if (one.functions or one.problems) and PACKAGE.fullmatch(package)
        )[:MOST_APPS]
        new = [package for package in wanted if package not in kept.apps]
        apps = {**kept.apps, **(await driver.declaring_apps(new))} if new else kept.apps
        in_order = {package: apps[package] for package in wanted if package in apps}
        return FunctionsOfPhone(True, listed.printed, declared, in_order)

    def read(self, app: DeclaringApp) -> "ReadFunctions | NothingRead":
        """The functions of one app, as tools."""
        declared = self.declared.get(app.package)
        if declared is None or app.package not in self.apps:
            return NothingRead()
        from .functions import read_functions_of

        return read_functions_of(app, declared)

    def digests(self, package: str) -> dict[str, str]:
        """For the app's pin. Switching a function on or off does not change it."""
        if package not in self.apps:
            return {}
        return {PART: digest_of(self.declared[package].declared)}


NO_FUNCTIONS = FunctionsOfPhone()
