"""The phone's location: set by a test, or mocked by a test provider."""

from collections.abc import Callable
from typing import NamedTuple

from .android import Android

PROVIDERS = ("gps", "network", "fused")


class Fix(NamedTuple):
    """A location, with its time by the phone's clock."""

    provider: str
    latitude: float
    longitude: float
    accuracy: float
    at: float
    mock: bool = False


class MockRefused(Exception):
    """Android refuses the mock location. The message is its exception, with the class."""


ALLOWED, IGNORED = "allow", "ignore"
DEFAULT = "default"
"""The default mode of the app op, which throws an exception as `deny` does."""
_ARGUMENT = "java.lang.IllegalArgumentException: "
_NOT_ALLOWED = (
    "java.lang.SecurityException: com.android.shell from uid 2000 not allowed to perform"
    " MOCK_LOCATION"
)


class TestProvider:
    """Replaces the provider of the same name."""

    __test__ = False

    def __init__(self) -> None:
        self.enabled = False
        self.last: Fix | None = None


class Whereabouts:
    def __init__(self, now: Callable[[], float], android: Callable[[], Android]) -> None:
        self._now, self._android = now, android
        self._place: tuple[float, float, float] | None = None
        """Latitude, longitude and accuracy of the satellite receiver."""
        self._known: dict[str, Fix] = {}
        self.mock_mode = DEFAULT
        """The app op `android:mock_location` of com.android.shell."""
        self.refused = False
        """Whether the shell may not read the location."""
        self.fix_ms: float | None = 1200.0
        """How long a new fix takes; None if satellites cannot be received."""
        self.tests: dict[str, TestProvider] = {}

    def put(self, latitude: float, longitude: float, accuracy: float = 12.0) -> None:
        """Move the phone to a location, with an immediate fix; for tests and scenes."""
        self._place = (latitude, longitude, accuracy)
        self._known["gps"] = Fix("gps", *self._place, self._now())

    @property
    def last(self) -> Fix | None:
        """The newest location of any provider."""
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
        """A fix not older than `since`, available after `fix_ms`; None if there is none. A test
        provider makes no fixes by itself."""
        if any(test.enabled for test in self.tests.values()):
            told = [test.last for test in self.tests.values() if test.last is not None]
            return next((fix for fix in told if fix.at >= since), None)
        if self._place is None:
            return None
        fix = Fix("gps", *self._place, self._now())
        self._known["gps"] = fix
        return fix

    # Test providers, as in LocationManager. They have no owner: any program with the app op may
    # change and remove another app's.

    @property
    def mock_allowed(self) -> bool:
        return self.mock_mode == ALLOWED

    def add(self, provider: str) -> None:
        """Add a test provider. Raises MockRefused."""
        if not self._noted():
            return
        android = self._android()
        if provider == "passive":
            name = "provider" if android.mocks_replaced else "location provider"
            raise MockRefused(f"{_ARGUMENT}Cannot mock the passive {name}")
        # Up to Android 9, Android's own providers are removed first, even if they are already
        # mocked.
        own = provider in PROVIDERS and not android.location_managers
        if provider in self.tests and not own and not android.mocks_replaced:
            raise MockRefused(f'{_ARGUMENT}Provider "{provider}" already exists')
        self.tests[provider] = TestProvider()

    def remove(self, provider: str) -> None:
        """Remove a test provider. Raises MockRefused, but since Android 11 not for an unknown
        one."""
        if not self._noted():
            return
        if provider not in self.tests and not self._android().mocks_replaced:
            raise self._is_none(provider)
        self.tests.pop(provider, None)

    def enable(self, provider: str, on: bool) -> None:
        """Enable or disable a test provider. Raises MockRefused."""
        if self._noted():
            self._test(provider).enabled = on

    def pretend(self, provider: str, latitude: float, longitude: float, accuracy: float) -> None:
        """Set the location of a test provider. Raises MockRefused."""
        if self._noted() and (test := self._test(provider)).enabled:
            test.last = Fix(provider, latitude, longitude, accuracy, self._now(), mock=True)

    def _noted(self) -> bool:
        """Whether the app op allows mocks; False if it ignores them. Raises MockRefused."""
        if self.mock_mode not in (ALLOWED, IGNORED):
            raise MockRefused(_NOT_ALLOWED)
        return self.mock_allowed

    def _test(self, provider: str) -> TestProvider:
        if (test := self.tests.get(provider)) is None:
            raise self._is_none(provider)
        return test

    def _is_none(self, provider: str) -> MockRefused:
        if not self._android().mocks_replaced:
            return MockRefused(f'{_ARGUMENT}Provider "{provider}" unknown')
        if provider in (*PROVIDERS, "passive"):
            return MockRefused(f"{_ARGUMENT}{provider} provider is not a test provider")
        return MockRefused(f"{_ARGUMENT}provider doesn't exist: {provider}")

    def forget_tests(self) -> None:
        """Forget all test providers, as a reboot does."""
        self.tests.clear()
