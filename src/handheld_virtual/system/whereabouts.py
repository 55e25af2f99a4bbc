"""Where the phone is: the place that a test gives it, and places that a test provider pretends."""

from collections.abc import Callable
from typing import NamedTuple

PROVIDERS = ("gps", "network", "fused")


class Fix(NamedTuple):
    """A place, and when it was found by the phone's clock."""

    provider: str
    latitude: float
    longitude: float
    accuracy: float
    at: float
    mock: bool = False


class TestProvider:
    """Stands in for a provider of the same name."""

    __test__ = False

    def __init__(self) -> None:
        self.enabled = False
        self.last: Fix | None = None


class Whereabouts:
    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._place: tuple[float, float, float] | None = None
        """Latitude, longitude and accuracy, as satellites would tell."""
        self._known: dict[str, Fix] = {}
        self.mock_allowed = False
        """The app op `android:mock_location` of com.android.shell."""
        self.refused = False
        """Whether the shell may not read where the phone is."""
        self.fix_ms: float | None = 1200.0
        """How long a fresh fix takes; None: there is no sky to be seen."""
        self.tests: dict[str, TestProvider] = {}

    def put(self, latitude: float, longitude: float, accuracy: float = 12.0) -> None:
        """For tests and scenes: the phone is there, and its satellite receiver has noticed."""
        self._place = (latitude, longitude, accuracy)
        self._known["gps"] = Fix("gps", *self._place, self._now())

    @property
    def last(self) -> Fix | None:
        """The newest place that any provider has told."""
        fixes = [
            fix
            for name in PROVIDERS
            if (fix := self.tests[name].last if name in self.tests else self._known.get(name))
        ]
        return max(fixes, key=lambda fix: fix.at, default=None)

    def known(self, provider: str) -> Fix | None:
        if provider in self.tests:
            return self.tests[provider].last
        return self._known.get(provider)

    def find(self, since: float) -> Fix | None:
        """A fix that is not older, once `fix_ms` have passed; None where none can be had. A test
        provider tells nothing by itself."""
        if any(test.enabled for test in self.tests.values()):
            told = [test.last for test in self.tests.values() if test.last is not None]
            return next((fix for fix in told if fix.at >= since), None)
        if self._place is None:
            return None
        fix = Fix("gps", *self._place, self._now())
        self._known["gps"] = fix
        return fix

    # Test providers, as LocationManager has them. Without the app op nothing happens.

    def add(self, provider: str) -> None:
        if self.mock_allowed:
            self.tests[provider] = TestProvider()

    def remove(self, provider: str) -> None:
        """Nothing happens, either, where there is none of that name, as since Android 12."""
        if self.mock_allowed:
            self.tests.pop(provider, None)

    def enable(self, provider: str, on: bool) -> bool:
        if not self.mock_allowed:
            return True
        test = self.tests.get(provider)
        if test is not None:
            test.enabled = on
        return test is not None

    def pretend(self, provider: str, latitude: float, longitude: float, accuracy: float) -> bool:
        if not self.mock_allowed:
            return True
        test = self.tests.get(provider)
        if test is not None and test.enabled:
            test.last = Fix(provider, latitude, longitude, accuracy, self._now(), mock=True)
        return test is not None

    def forget_tests(self) -> None:
        """The phone was rebooted."""
        self.tests.clear()
